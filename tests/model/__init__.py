"""The model: what every shell around it stands on."""
