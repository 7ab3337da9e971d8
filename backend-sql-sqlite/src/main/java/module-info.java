/**
 * One SQLite database file per object, as a materialised view of the journal.
 *
 * <p>The native library is reached through {@code dev.holdfast.backend.sqlite.binding} alone.
 */
@SuppressWarnings("module") // a module that is built later is a friend of this one
module dev.holdfast.backend.sqlite {
  requires transitive dev.holdfast.spi;
  requires java.sql;
  requires org.xerial.sqlitejdbc;
  requires static transitive org.jspecify;

  exports dev.holdfast.backend.sqlite;
  exports dev.holdfast.backend.sqlite.binding to
      dev.holdfast.verify;
  exports dev.holdfast.backend.sqlite.catalog to
      dev.holdfast.verify;
  exports dev.holdfast.backend.sqlite.database to
      dev.holdfast.verify;
  exports dev.holdfast.backend.sqlite.file to
      dev.holdfast.verify;
  exports dev.holdfast.backend.sqlite.recovery to
      dev.holdfast.verify;
  exports dev.holdfast.backend.sqlite.wal to
      dev.holdfast.verify;
}
