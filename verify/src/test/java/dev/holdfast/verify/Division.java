package dev.holdfast.verify;

import dev.holdfast.journal.shard.RestoredReplica;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Divides directories, and makes some. */
final class Division {

  private final Path directory;

  Division(Path directory) {
    this.directory = directory;
  }

  interface Opening {
    ShardSplit open(Disk disk);
  }

  List<Path> divide(Disk disk, Path source, int count) throws Exception {
    return divide(disk, opening -> ShardSplit.open(opening, source), count);
  }

  List<Path> divide(Disk disk, Opening opening, int count) throws Exception {
    return divide(disk, opening, count, System.currentTimeMillis());
  }

  List<Path> divide(Disk disk, Opening opening, int count, long nowMillis) throws Exception {
    Path target = directory.resolve("of " + count);
    FileTree.delete(disk, target);
    Path work = target.resolve("work");
    disk.createDirectories(work);
    List<Path> shards = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      shards.add(target.resolve("shard" + shard));
    }
    Random random = new Random(count);
    try (ShardSplit split = opening.open(disk)) {
      split.write(shards, work, nowMillis, random::nextLong, (_, _, _, _) -> {});
    }
    return shards;
  }

  List<Path> named(String name, int count) {
    List<Path> paths = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      paths.add(directory.resolve(name + number));
    }
    return paths;
  }

  /** Makes directories those of shards, as a restore does. */
  static Opening asShards(List<Path> directories) {
    for (Path each : directories) {
      RestoredReplica.prepareOwn(new FileDisk(), each, new Random(7)::nextLong);
    }
    return disk -> ShardSplit.ofShards(disk, directories);
  }
}
