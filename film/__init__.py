"""How seeing becomes a film: plan, render, join, prove."""
