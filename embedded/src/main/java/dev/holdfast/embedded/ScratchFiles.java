package dev.holdfast.embedded;

import dev.holdfast.embedded.parts.StoppedShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Fills a temporary directory with what a recovery needs of a data directory: links to files that
 * are never changed in place, or are copied before that; copies of what native code changes. The
 * files of objects are left out.
 */
final class ScratchFiles {

  private ScratchFiles() {}

  static void fill(Path origin, Path scratch) throws IOException {
    // Segments and their indexes are opened through the disk, which copies before it writes.
    each(
        origin.resolve("journal"),
        name -> name.endsWith(".log") || name.endsWith(".index"),
        scratch.resolve("journal"),
        Files::createSymbolicLink);
    fillViews(origin, scratch);
    each(origin, name -> name.equals("journal.mark"), scratch, ScratchFiles::copy);
  }

  /** Fills a directory as for a single machine, with what a shard has. */
  static void fill(Path origin, StoppedShard shard, Path scratch) throws IOException {
    Files.createDirectories(scratch.resolve("journal"));
    shard.copyJournal(scratch.resolve("journal"), Files::createSymbolicLink);
    fillViews(origin, scratch);
  }

  /** Native code opens these files. */
  private static void fillViews(Path origin, Path scratch) throws IOException {
    Path rocksDb = origin.resolve("rocksdb");
    Predicate<String> isTable = name -> name.endsWith(".sst");
    each(rocksDb, isTable, scratch.resolve("rocksdb"), Files::createSymbolicLink);
    each(rocksDb, isTable.negate(), scratch.resolve("rocksdb"), ScratchFiles::copy);
    each(
        origin.resolve("sqlite"),
        name -> name.startsWith("catalog.") || name.equals("redo.pages"),
        scratch.resolve("sqlite"),
        ScratchFiles::copy);
    each(origin, name -> name.equals("rocksdb.flushed"), scratch, ScratchFiles::copy);
  }

  private static void copy(Path to, Path from) throws IOException {
    Files.copy(from, to);
  }

  private static void each(
      Path from, Predicate<String> wanted, Path to, StoppedShard.Transfer transfer)
      throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = String.valueOf(file.getFileName());
        if (Files.isRegularFile(file) && wanted.test(name)) {
          transfer.run(to.resolve(name), file);
        }
      }
    }
  }
}
