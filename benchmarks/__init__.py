"""Speed and quality side by side with the peers, and with the bare loops that the machine allows."""
