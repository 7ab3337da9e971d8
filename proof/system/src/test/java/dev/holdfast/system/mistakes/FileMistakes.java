package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.system.mistakes.Host.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Data directories, backups and archives. */
final class FileMistakes {

  private FileMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "a data directory that is in use",
            host -> {
              Path directory = host.missing();
              try (ObjectRuntime _ = open(directory)) {
                open(directory).close();
              }
            }),
        Mistake.of(
            "a file in place of the data directory",
            host -> open(Files.writeString(host.missing(), "a file")).close()),
        Mistake.of(
            "a data directory below a file",
            host -> open(Files.writeString(host.missing(), "a file").resolve("data")).close()),
        Mistake.logged(
            "native access denied to SQLite",
            host -> NativeProcess.run(host.missing(), StorageKind.SQLITE)),
        Mistake.logged(
            "native access denied to RocksDB",
            host -> NativeProcess.run(host.missing(), StorageKind.ROCKSDB)),
        Mistake.of(
            "a data directory without its journal",
            host -> {
              Path directory = host.missing();
              try (ObjectRuntime runtime = open(directory)) {
                runtime.namespace("carts", Probe.class).getByName("one").run(null);
              }
              try (Stream<Path> files = Files.walk(directory.resolve("journal"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                  Files.delete(file);
                }
              }
              open(directory).close();
            }),
        Mistake.of(
            "a backup into the data directory",
            host -> {
              Path directory = host.missing();
              try (ObjectRuntime runtime = open(directory)) {
                runtime.backup(directory.resolve("backup"));
              }
            }),
        Mistake.of(
            "a backup into a directory with other files",
            host -> {
              Path target = host.empty();
              Files.writeString(target.resolve("letter.txt"), "Dear Sir");
              try (ObjectRuntime runtime = open(host.missing())) {
                runtime.backup(target);
              }
            }),
        Mistake.of(
            "a backup of a directory without data",
            host -> Holdfast.backup(host.empty(), host.missing())),
        Mistake.of(
            "a restore from an archive without data",
            host ->
                Holdfast.restore(
                    new DirectoryArchive(host.empty()),
                    host.missing(),
                    RestoreRequest.of(new RestoreTarget.Latest()))),
        Mistake.of(
            "a restore into a directory with other files",
            host -> {
              Path target = host.empty();
              Files.writeString(target.resolve("letter.txt"), "Dear Sir");
              Holdfast.restore(
                  new DirectoryArchive(host.empty()),
                  target,
                  RestoreRequest.of(new RestoreTarget.Latest()));
            }));
  }

  private static ObjectRuntime open(Path directory) {
    return Host.open(
        directory,
        objects ->
            objects.namespace(
                "carts",
                Probe.class,
                context ->
                    argument -> {
                      context.storage().put("key", "value");
                      return argument;
                    }));
  }
}
