/** One SQLite database file per object, as a materialised view of the journal. */
module dev.holdfast.backend.sqlite {
  requires transitive dev.holdfast.spi;
  requires org.xerial.sqlitejdbc;
  requires static transitive org.jspecify;
}
