/** Copies the journal of a runtime to an archive, and restores a data directory from it. */
module dev.holdfast.archiver {
  requires transitive dev.holdfast.spi;
  requires transitive dev.holdfast.journal;
  requires static transitive org.jspecify;

  exports dev.holdfast.archiver;

  provides dev.holdfast.journal.ArchiveProvider with
      dev.holdfast.archiver.JournalArchives;
}
