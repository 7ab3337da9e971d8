package dev.holdfast.runtime.internal.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a comparison of two states is ended. */
final class DifferencesTest {

  private final List<String> read = new ArrayList<>();

  /** Has a row in each table, and interrupts the thread that reads table b. */
  private final class Image implements PastImage {

    @Override
    public List<String> tables() {
      return List.of("a", "b", "c");
    }

    @Override
    public List<String> columns(String table) {
      return List.of("value");
    }

    @Override
    public long count(String table) {
      return 1;
    }

    @Override
    public void forEach(String table, EntryVisitor visitor) {
      read.add(table);
      visitor.visit("key", "", List.of(1L));
      if (table.equals("b")) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public List<AlarmRecord> alarms() {
      return List.of();
    }

    @Override
    public long bytes() {
      return 1;
    }

    @Override
    public void close() {}
  }

  @Test
  void interruptEndsTheComparisonBetweenTwoTables() {
    IllegalStateException interrupted = new IllegalStateException("interrupted");
    PastImage.Pair images = new PastImage.Pair(new Image(), new Image());

    assertThatThrownBy(() -> Differences.withValues(images, 10, () -> interrupted))
        .isSameAs(interrupted);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(read).containsExactly("a", "a", "b", "b");
  }
}
