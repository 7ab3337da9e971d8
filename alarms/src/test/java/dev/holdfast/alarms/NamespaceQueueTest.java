package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Alarms that a queue drops while a page is read are read later. */
final class NamespaceQueueTest {

  private static final int SIZE_MAX = 4;
  private static final int PAGE = 2;

  private final NamespaceQueue queue = new NamespaceQueue("n", SIZE_MAX);

  private static AlarmEntry entry(int object, long dueMillis) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[0] = (byte) object;
    return new AlarmEntry(
        new ObjectKey("n", ObjectId.of(id, null)), AlarmRecord.once("", dueMillis));
  }

  private void change(AlarmEntry entry) {
    queue.changed(entry.key(), List.of(entry.alarm()));
  }

  private List<Long> taken() {
    List<Long> taken = new ArrayList<>();
    for (AlarmEntry first = queue.first(); first != null; first = queue.first()) {
      taken.add(first.alarm().dueMillis());
      queue.remove(first);
    }
    return taken;
  }

  private long horizonMillis() {
    AlarmEntry horizon = queue.horizon();
    return horizon == null ? Long.MIN_VALUE : horizon.alarm().dueMillis();
  }

  @Test
  void horizonStaysBeforeWhatWasForgottenWhileAPageWasRead() {
    queue.beginReading();
    for (int object = 1; object <= SIZE_MAX + 1; object++) {
      change(entry(object, object));
    }
    assertThat(horizonMillis()).isEqualTo(4);

    queue.endReading(List.of(entry(8, 3), entry(9, 100)), /* complete= */ false);

    assertThat(horizonMillis()).isLessThanOrEqualTo(4);
    assertThat(taken()).isSorted().doesNotContain(5L, 100L);
  }

  @Test
  void lastPageDoesNotMoveTheHorizonPastWhatWasForgotten() {
    queue.beginReading();
    for (int object = 1; object <= SIZE_MAX + 1; object++) {
      change(entry(object, object));
    }

    queue.endReading(List.of(entry(9, 100)), /* complete= */ true);

    assertThat(queue.isComplete()).isFalse();
    assertThat(taken()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void horizonIsNotRaisedByAReadingThatFailed() {
    queue.beginReading();
    queue.endReading(List.of(entry(9, 100)), /* complete= */ false);
    AlarmEntry before = queue.horizon();
    queue.beginReading();
    for (int object = 1; object <= SIZE_MAX; object++) {
      change(entry(object, object));
    }
    assertThat(horizonMillis()).isEqualTo(4); // 100 was dropped

    queue.failReading(before);

    assertThat(horizonMillis()).isEqualTo(4);
    assertThat(taken()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void whatIsTakenBackFromPastTheHorizonIsLeftToTheDisk() {
    queue.beginReading();
    queue.endReading(List.of(entry(1, 10)), /* complete= */ false);

    queue.addBack(entry(2, 20));
    queue.addBack(entry(3, 5));

    assertThat(taken()).containsExactly(5L, 10L);
  }

  @Test
  void pageThatWasTakenInHalfIsReadAgain() {
    queue.beginReading();
    List<AlarmEntry> page = endingMemory(entry(1, 1), entry(2, 2));
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> queue.endReading(page, /* complete= */ true));
    assertThat(queue.isComplete()).isFalse();
    assertThat(queue.horizon()).isNull();
  }

  @Test
  void changeThatWasTakenInHalfIsReadAgain() {
    queue.beginReading();
    queue.endReading(List.of(), /* complete= */ true);
    List<AlarmRecord> alarms = endingMemory(AlarmRecord.once("", 1), AlarmRecord.once("b", 2));
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> queue.changed(entry(1, 1).key(), alarms));
    assertThat(queue.isComplete()).isFalse();
    assertThat(queue.horizon()).isNull();
  }

  /** A list with two elements; memory runs out after the first. */
  private static <T> List<T> endingMemory(T first, T second) {
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        if (index == 0) {
          return first;
        }
        throw new OutOfMemoryError("planned");
      }

      @Override
      public T getLast() {
        return second;
      }

      @Override
      public int size() {
        return 2;
      }
    };
  }

  /** A disk that shows every change at once, pages and changes in any order, and a slow reader. */
  @Test
  void everyAlarmIsTakenInItsTimeWhateverTheOrderOfPagesAndChanges() {
    for (int seed = 0; seed < 2_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      NamespaceQueue tested = new NamespaceQueue("n", SIZE_MAX);
      TreeSet<AlarmEntry> disk = new TreeSet<>(AlarmEntry.ORDER);
      @Nullable AlarmEntry after = null;
      List<AlarmEntry> page = List.of();
      boolean complete = false;
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(4)) {
          case 0 -> {
            if (tested.isReading()) {
              if (random.nextInt(5) == 0) {
                tested.failReading(after);
              } else {
                tested.endReading(page, complete);
              }
            } else if (!tested.isComplete()) {
              after = tested.horizon();
              tested.beginReading();
              page = page(disk, after);
              complete = page.size() < PAGE;
            }
          }
          case 1 -> {
            AlarmEntry first = tested.first();
            if (first != null && !tested.isReading()) {
              assertThat(first).as("seed %s", seed).isEqualTo(disk.first());
              tested.remove(first);
              if (random.nextBoolean()) {
                tested.addBack(first);
              } else {
                disk.remove(first);
                tested.changed(first.key(), List.of());
              }
            }
          }
          default -> {
            AlarmEntry changed = entry(random.nextInt(12), random.nextInt(100));
            disk.removeIf(each -> each.key().equals(changed.key()));
            disk.add(changed);
            tested.changed(changed.key(), List.of(changed.alarm()));
          }
        }
      }
      if (tested.isReading()) {
        tested.endReading(page, complete);
      }
      requireAll(tested, disk, "seed " + seed);
    }
  }

  private static void requireAll(NamespaceQueue tested, TreeSet<AlarmEntry> disk, String seed) {
    List<AlarmEntry> taken = new ArrayList<>();
    while (!tested.isComplete() || tested.first() != null) {
      AlarmEntry first = tested.first();
      if (first == null) {
        AlarmEntry after = tested.horizon();
        List<AlarmEntry> page = page(disk, after);
        tested.beginReading();
        tested.endReading(page, page.size() < PAGE);
      } else {
        tested.remove(first);
        taken.add(first);
      }
    }
    assertThat(taken).as(seed).containsExactlyElementsOf(disk);
  }

  private static List<AlarmEntry> page(TreeSet<AlarmEntry> disk, @Nullable AlarmEntry after) {
    return (after == null ? disk : disk.tailSet(after, false)).stream().limit(PAGE).toList();
  }
}
