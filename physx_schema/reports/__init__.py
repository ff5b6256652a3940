"""What commands and other packages print of facts and findings: outlines, text, JSON, SARIF and pages."""
