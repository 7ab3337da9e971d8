package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.spi.disk.Disk;
import java.util.function.LongSupplier;

/** The archives of this module, for a runtime that finds them among its dependencies. */
public final class JournalArchives implements ArchiveProvider {

  /** For {@link java.util.ServiceLoader}. */
  public JournalArchives() {}

  @Override
  public Running start(ArchiveOptions options, Host host) {
    Archiver archiver = new Archiver(options, host);
    archiver.start();
    return archiver;
  }

  @Override
  public Restore restore(ArchiveStore store, Disk disk, long nowMillis, LongSupplier random) {
    return new ArchiveRestore(store, new ArchiveRestore.Host(disk, nowMillis, random));
  }
}
