"""The dashboard: reads the store, writes requests, drafts and names. Streamlit lives here and nowhere else."""
