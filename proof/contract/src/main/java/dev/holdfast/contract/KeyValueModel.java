package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of reads, writes, scans, savepoints, seals, crashes, checkpoints and restarts on
 * three objects, compared step by step with sorted maps; a jqwik suite to extend, in addition to
 * {@link BackendContract}.
 *
 * <p>A failure prints the shortest program that still fails. The system property {@code
 * holdfast.tests=long} makes the programs ten times as long.
 */
public abstract class KeyValueModel {

  private static final int STEPS_MAX = 60;

  /** Few keys, so that operations collide; all of them difficult in some way. */
  private static final List<String> KEYS =
      List.of("", "\0", "a", "a\0", "aa", "b", "\u007F", "\u0080", "\uFFFF", "\uD83D\uDE00");

  /** For subclasses. */
  protected KeyValueModel() {}

  /**
   * Opens the backend under test; see the method of the same name in {@link BackendContract}.
   *
   * @param journal receives the batches
   * @param directory the directory for the files; used by this backend only
   * @return the backend, not yet recovered
   */
  protected abstract StorageBackend openBackend(Journal journal, Path directory);

  /**
   * Waits until the backend has no background work, so that its files can be copied. The default
   * does nothing.
   *
   * @param backend the backend that {@link #openBackend} returned
   */
  protected void awaitBackgroundWork(StorageBackend backend) {}

  @Property(tries = 80)
  void backendBehavesLikeSortedMaps(@ForAll("programs") List<ProgramStep> program)
      throws IOException {
    Path root = Files.createTempDirectory("key-value-model");
    try (BackendProcess process =
        new BackendProcess(this::openBackend, this::awaitBackgroundWork, root)) {
      new ModelledProcess(process).run(program);
    } finally {
      FileTree.delete(new FileDisk(), root);
    }
  }

  @Provide
  Arbitrary<List<ProgramStep>> programs() {
    boolean longRun = "long".equals(System.getProperty("holdfast.tests"));
    return steps().list().ofMinSize(1).ofMaxSize(longRun ? 10 * STEPS_MAX : STEPS_MAX);
  }

  private static Arbitrary<ProgramStep> steps() {
    Arbitrary<Integer> objects = Arbitraries.integers().between(1, ModelledProcess.OBJECTS);
    Arbitrary<String> keys = Arbitraries.of(KEYS);
    return Arbitraries.frequencyOf(
        Tuple.of(
            10, Combinators.combine(objects, keys, numbers(), sizes()).as(ProgramStep.Put::new)),
        Tuple.of(4, Combinators.combine(objects, keys).as(ProgramStep.Get::new)),
        Tuple.of(4, Combinators.combine(objects, keys).as(ProgramStep.Delete::new)),
        Tuple.of(1, objects.map(ProgramStep.DeleteAll::new)),
        Tuple.of(4, scans(objects)),
        Tuple.of(3, objects.map(ProgramStep.OpenSavepoint::new)),
        Tuple.of(2, objects.map(ProgramStep.ReleaseSavepoint::new)),
        Tuple.of(2, objects.map(ProgramStep.RollbackToSavepoint::new)),
        Tuple.of(8, objects.map(ProgramStep.Seal::new)),
        Tuple.of(1, objects.map(ProgramStep.SealOnFullDisk::new)),
        Tuple.of(2, objects.map(ProgramStep.Discard::new)),
        Tuple.of(1, objects.map(ProgramStep.Release::new)),
        Tuple.of(1, Arbitraries.integers().between(0, 100).map(ProgramStep.Crash::new)),
        Tuple.of(1, Arbitraries.just(new ProgramStep.Reopen())),
        Tuple.of(1, Arbitraries.just(new ProgramStep.Trim())));
  }

  private static Arbitrary<Integer> numbers() {
    return Arbitraries.integers().between(0, 1_000);
  }

  /** Mostly small; some larger than a page, few of the maximum size of a value. */
  private static Arbitrary<Integer> sizes() {
    return Arbitraries.frequencyOf(
        Tuple.of(10, Arbitraries.integers().between(0, 100)),
        Tuple.of(3, Arbitraries.integers().between(4_000, 9_000)),
        Tuple.of(1, Arbitraries.just(131_072)));
  }

  private static Arbitrary<ProgramStep> scans(Arbitrary<Integer> objects) {
    Arbitrary<Integer> limits = Arbitraries.of(1, 2, 5, Integer.MAX_VALUE);
    return Combinators.combine(objects, bounds(), bounds(), Arbitraries.of(false, true), limits)
        .as(ProgramStep.Scan::new);
  }

  /** Keys, the ends of their prefixes, bytes that are not text, and no bound. */
  private static Arbitrary<@Nullable String> bounds() {
    HexFormat hex = HexFormat.of();
    Arbitrary<String> keys =
        Arbitraries.of(KEYS).map(key -> hex.formatHex(key.getBytes(StandardCharsets.UTF_8)));
    Arbitrary<String> others = Arbitraries.of("61ff", "80", "c3c0", "f09f98", "ff", "ffff");
    return Arbitraries.frequencyOf(Tuple.of(3, keys), Tuple.of(1, others)).injectNull(0.2);
  }
}
