"""Reference policies: plain files in the contract of a policy, read as text by `csro_core.policies.library`.

They are never imported; like every policy they run in a jailed process only.
"""
