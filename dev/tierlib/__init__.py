"""The tiers of tests: their table, what each reads, their verdicts, and what runs them (dev/gate, dev/verify)."""
