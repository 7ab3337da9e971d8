/**
 * The open databases: their connections, limits and switches, the tables that every object has, and
 * the making of a batch from the commits of a transaction.
 */
@NullMarked
package dev.holdfast.backend.sqlite.database;

import org.jspecify.annotations.NullMarked;
