"""Measurements of mlsieve beside what a user could pick instead; no part of the installed package."""
