"""Rules alone and at work: optimality, identities, bounds."""
