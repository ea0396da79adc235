"""Measurements that use several packages: training dynamics, learning curves, recorded runs."""
