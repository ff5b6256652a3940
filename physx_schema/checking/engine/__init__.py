"""Parts that every rule uses: findings, profiles, waivers, repairs and reports; no rule is named here."""
