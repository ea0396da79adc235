#!/usr/bin/env bash
# A sweep on a real SLURM: one node on this machine, started here, used, and stopped again, whatever happens.
#
#   apt-get install --no-install-recommends slurmd slurmctld slurm-client munge
#   pip install 'tse-core[sweep-slurm]'
#   tests/slurm/run.sh [PYTHON]          exit code 0: the same bytes as without SLURM; 77: SLURM cannot run here
#
# Everything lives in a temporary folder with its own key, sockets and ports; no system service is touched.
set -euo pipefail
python=${1:-.venv/bin/python}
tests=$(cd "$(dirname "$0")/.." && pwd)
for tool in munged slurmctld slurmd sbatch srun scontrol; do
  PATH=$PATH:/usr/sbin command -v $tool > /dev/null || { echo "SLURM cannot run here: $tool is not installed"; exit 77; }
done
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
chmod 755 "$work"
user=$(id -un)
pids=()

stop() {
  for (( i = ${#pids[@]} - 1; i >= 0; i-- )); do kill "${pids[i]}" 2> /dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2> /dev/null || true; done
  rm -rf "$work"
}
trap stop EXIT

unusable() {
  echo "SLURM cannot run here: $1"
  tail -n 20 "$work"/*.log 2> /dev/null || true
  exit 77
}

# munge proves who sends a message
mkdir -m 755 "$work/munge" "$work/state" "$work/spool"
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 status=none
chmod 400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge.log" --seed-file="$work/munge/seed" 2> "$work/munged.log" &
pids+=($!)

cat > "$work/slurm.conf" << END
ClusterName=loopback
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MaxArraySize=1001
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=here Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D -i -f "$SLURM_CONF" > "$work/slurmctld.out.log" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$(hostname -s)" > "$work/slurmd.out.log" 2>&1 &
pids+=($!)

for _ in $(seq 60); do
  sinfo --noheader --format=%t 2> /dev/null | grep -q idle && break
  sleep 0.5
done
sinfo --noheader --format=%t 2> /dev/null | grep -q idle || unusable "the node does not become idle"
timeout 60 srun --ntasks=1 true || unusable "a job of one command does not run"
echo "SLURM runs: $(scontrol --version), node $(sinfo --noheader --format='%N %t %c CPUs')"

export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 PYTHONPATH=$tests
"$python" "$tests/slurm/sweep_on_slurm.py" "$work"
echo "jobs that ran: $(scontrol show jobs 2> /dev/null | grep -c JobState=COMPLETED)"
