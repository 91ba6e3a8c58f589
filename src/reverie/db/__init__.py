"""One way to speak to SQLite and PostgreSQL: drivers, migrations, leases, points of failure."""
