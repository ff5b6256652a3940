"""Experiments on joints outside articulations: each alone with what it holds, and loaded along what it does."""
