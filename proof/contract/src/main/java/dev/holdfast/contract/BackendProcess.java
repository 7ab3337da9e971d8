package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A simulated process with one backend on a journal in memory: it crashes, closes and starts again
 * over the files of the earlier run.
 *
 * <p>A crash leaves the old backend open, because a killed process closes nothing; the new one gets
 * a copy of the files. All backends are closed at the end. Confined to the thread that runs the
 * test.
 */
final class BackendProcess implements AutoCloseable {

  private final BiFunction<Journal, Path, StorageBackend> opener;
  private final Consumer<StorageBackend> awaitBackgroundWork;
  private final Path root;
  private final List<StorageBackend> opened = new ArrayList<>();
  private Incarnation live;
  private int directoriesMade;

  /** Opens the backend over an empty directory and journal. */
  BackendProcess(
      BiFunction<Journal, Path, StorageBackend> opener,
      Consumer<StorageBackend> awaitBackgroundWork,
      Path root) {
    this.opener = opener;
    this.awaitBackgroundWork = awaitBackgroundWork;
    this.root = root;
    InMemoryJournal journal = new InMemoryJournal(Durability.ON_WAIT);
    this.live = start(newDirectory(), journal, journal);
  }

  InMemoryJournal journal() {
    return live.journal;
  }

  StorageBackend backend() {
    return live.backend;
  }

  /** Begins a turn on the store of the current instance, which is created if there is none. */
  StoreTurn begin(ObjectKey key) {
    return live.stores.computeIfAbsent(key, live.backend::store).beginTurn();
  }

  /** Ends the current instance of an object. */
  void release(ObjectKey key) {
    ObjectStore store = live.stores.remove(key);
    if (store != null) {
      store.release();
    }
  }

  /** Starts the process over the files and the journal after a crash or close. */
  void openOn(Path files, InMemoryJournal journal) {
    openOn(files, journal, journal);
  }

  void openOn(Path files, InMemoryJournal journal, RecoveryLog log) {
    live = start(files, journal, log);
  }

  /** Returns a copy of the files as a crash now would leave them. */
  Path crashImage() {
    if (opened.contains(live.backend)) {
      awaitBackgroundWork.accept(live.backend);
    }
    return copyOf(live.directory);
  }

  /** Ends the process now; records up to the position have reached the disk. */
  void crashAt(long position) {
    Path image = crashImage();
    InMemoryJournal left = live.journal.prefix(position);
    live.journal.crash();
    openOn(image, left);
  }

  /** Checks every crash that is possible now: each is recovered, checked and discarded. */
  void afterEveryCrash(Consumer<Long> check) {
    Incarnation before = live;
    Path image = crashImage();
    long first = before.journal.durablePosition();
    for (long position = first; position <= before.journal.lastPosition(); position++) {
      openOn(copyOf(image), before.journal.prefix(position));
      check.accept(position);
      live.journal.crash();
      closeBackend();
    }
    live = before;
  }

  /** Releases all stores and closes the backend, not the journal. */
  void closeBackend() {
    live.stores.values().forEach(ObjectStore::release);
    live.stores.clear();
    live.backend.close();
    opened.remove(live.backend);
  }

  /** Closes backend and journal in order, and starts the process again. */
  void closeAndReopen() {
    closeBackend();
    live.journal.close();
    openOn(live.directory, live.journal.crash());
  }

  /** Makes the view checkpoint and deletes every record that it then no longer needs. */
  void trimToLowWaterMark() {
    live.journal.makeAllDurable();
    live.backend.checkpointBefore(live.journal.lastPosition() + 1);
    awaitBackgroundWork.accept(live.backend);
    live.journal.makeAllDurable();
    live.journal.trimBefore(live.backend.lowWaterMark());
  }

  /** Opens another backend on a journal of the caller; closed at the end. */
  StorageBackend openBeside(Journal journal) {
    StorageBackend backend = opener.apply(journal, newDirectory());
    opened.add(backend);
    return backend;
  }

  @Override
  public void close() {
    // After the journal has failed, closing only frees the resources of the backend.
    live.journal.crash();
    opened.forEach(StorageBackend::close);
  }

  Path newDirectory() {
    try {
      return Files.createDirectories(root.resolve("data-" + directoriesMade++));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Incarnation start(Path files, InMemoryJournal journal, RecoveryLog log) {
    StorageBackend backend = opener.apply(journal, files);
    opened.add(backend);
    backend.recover(log);
    return new Incarnation(journal, backend, files, new HashMap<>());
  }

  private Path copyOf(Path original) {
    Path copy = newDirectory();
    try (Stream<Path> paths = Files.walk(original)) {
      for (Path source : (Iterable<Path>) paths::iterator) {
        Path target = copy.resolve(original.relativize(source).toString());
        if (Files.isDirectory(source)) {
          Files.createDirectories(target);
        } else {
          Files.copy(source, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return copy;
  }

  /** The state of one run of the process, from start to crash or close. */
  private record Incarnation(
      InMemoryJournal journal,
      StorageBackend backend,
      Path directory,
      Map<ObjectKey, ObjectStore> stores) {}
}
