"""What a run of checks looks like to other programs: SARIF, GitHub's annotations, and a page for a browser."""
