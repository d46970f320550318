"""Kernels of discrete features: mutual information, and the cuts of LAIM and MDLP."""
