package dev.holdfast.backend.sqlite.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class BatchPropertyTest {

  private static final int PAGE_BYTES = 512;

  @Property(edgeCases = EdgeCasesMode.NONE)
  void redoAndUndoOfAnyChangeLeadThereAndBack(
      @ForAll("pages") byte[] before, @ForAll("pages") byte[] after) {
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, 2, 2);
    writer.changed(1, new Image(before, 0), new Image(after, 0));
    writer.firstChanged(2, new Image(before, 0), new Image(after, 0));

    BatchReader batch = new BatchReader(writer.finish());
    while (batch.next()) {
      byte[] page = batch.redoIsWhole() ? new byte[PAGE_BYTES] : before.clone();
      batch.redo(page);
      assertThat(page).isEqualTo(after);
      batch.undo(page);
      assertThat(page).isEqualTo(before);
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void wholePageNeedsNothingOfWhatWasThere(
      @ForAll("pages") byte[] content, @ForAll("pages") byte[] garbage) {
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, 0, 1);
    writer.added(1, new Image(content, 0));

    BatchReader batch = new BatchReader(writer.finish());
    assertThat(batch.next()).isTrue();
    byte[] page = garbage.clone();
    batch.redo(page);
    assertThat(page).isEqualTo(content);
  }

  /** Pages as SQLite writes them: mostly equal, with some short and some long changes. */
  @Provide
  Arbitrary<byte[]> pages() {
    Arbitrary<int[]> run =
        Combinators.combine(
                Arbitraries.integers().between(0, PAGE_BYTES - 1),
                Arbitraries.integers().between(1, PAGE_BYTES),
                Arbitraries.integers().between(-2, 2))
            .as((offset, length, value) -> new int[] {offset, length, value});
    return run.list()
        .ofMaxSize(12)
        .map(
            runs -> {
              byte[] page = new byte[PAGE_BYTES];
              for (int[] each : runs) {
                int end = Math.min(PAGE_BYTES, each[0] + each[1]);
                for (int at = each[0]; at < end; at++) {
                  page[at] = (byte) each[2];
                }
              }
              return page;
            });
  }
}
