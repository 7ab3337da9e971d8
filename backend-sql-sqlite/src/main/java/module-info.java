/**
 * One SQLite database file per object, as a materialised view of the journal.
 *
 * <p>The native library is reached through {@code dev.holdfast.backend.sqlite.binding} alone.
 */
module dev.holdfast.backend.sqlite {
  requires transitive dev.holdfast.spi;
  requires java.sql;
  requires org.xerial.sqlitejdbc;
  requires static transitive org.jspecify;

  exports dev.holdfast.backend.sqlite;
}
