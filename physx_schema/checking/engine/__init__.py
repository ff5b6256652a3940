"""What every rule uses: findings, profiles, waivers, repairs, reports. Nothing here knows a rule."""
