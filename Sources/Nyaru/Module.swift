// The module's overview.
