"""What people see in a browser: pages that are whole without a script, and a script that makes them livelier."""
