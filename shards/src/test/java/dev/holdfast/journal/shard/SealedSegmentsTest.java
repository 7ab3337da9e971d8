package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.JournalCorruptException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A damaged segment of one replica is replaced by that of another, or stays. */
final class SealedSegmentsTest {

  private final SimulatedShard shard =
      new SimulatedShard(RandomGeneratorFactory.of("L64X128MixRandom").create(1));

  private Map<String, String> whole = Map.of();

  @BeforeEach
  void fillSegments() {
    ShardJournal journal = shard.owned("a");
    for (int i = 0; i < 12; i++) {
      journal.whenDurable(SimulatedShard.append(journal, "r".repeat(3000)), _ -> {});
      shard.log().settle();
    }
    whole = shard.segments("b");
    assertThat(whole).hasSizeGreaterThan(2).isEqualTo(shard.segments("a"));
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private SealedSegments of(String node) {
    return shard.replica(node).sealed();
  }

  private long second() {
    return of("b").after(1).orElseThrow();
  }

  @Test
  void newestSegmentIsNotSealed() {
    SealedSegments sealed = of("b");
    long count = 0;
    long last = 0;
    while (sealed.after(last).isPresent()) {
      last = sealed.after(last).orElseThrow();
      assertThat(sealed.isSound(last)).isTrue();
      assertThat(sealed.holding(last + 1)).hasValue(last);
      count++;
    }
    assertThat(count).isEqualTo(whole.size() - 1L);
    assertThat(sealed.holding(12)).isEmpty();
    assertThatThrownBy(() -> sealed.read(12, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sealed.read(1, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void damagedSegmentIsReplaced() throws IOException {
    for (long offset : new long[] {10, 4096, 4096 + 20, 9000}) {
      shard.damage("b", second(), offset);
      assertThat(of("b").isSound(second())).as("damage at %d", offset).isFalse();

      of("b").replace(second(), place -> of("a").read(second(), place), of("a")::purged);

      assertThat(of("b").isSound(second())).isTrue();
      assertThat(shard.segments("b")).isEqualTo(whole);
      assertThat(shard.records("b")).hasSize(12);
      assertThat(shard.files("b")).noneMatch(name -> name.endsWith(".copy"));
    }
  }

  @Test
  void whatIsNotTheSameSegmentReplacesNothing() throws IOException {
    shard.damage("b", second(), 9000);
    assertRefused(place -> of("a").read(1, place)); // another one
    assertRefused(_ -> new byte[0]);
    assertRefused(
        place -> place == 0 ? Arrays.copyOf(of("a").read(second(), 0), 8192) : new byte[0]);
    shard.damage("a", second(), 9000);
    assertRefused(place -> of("a").read(second(), place)); // damaged there, too
    assertThat(of("b").isSound(second())).isFalse();

    shard.damage("a", second(), 9000); // undone
    of("b").replace(second(), place -> of("a").read(second(), place), of("a")::purged);
    assertThat(shard.segments("b")).isEqualTo(whole);
  }

  private void assertRefused(SealedSegments.Source source) {
    assertThatThrownBy(() -> of("b").replace(second(), source, () -> 0))
        .isInstanceOf(JournalCorruptException.class);
  }

  @Test
  void replacementThatEndedInTheMiddleIsForgotten() throws IOException {
    shard.damage("b", second(), 9000);
    assertThatThrownBy(
            () ->
                of("b")
                    .replace(
                        second(),
                        place -> {
                          throw new IllegalStateException("the other node is lost");
                        },
                        () -> 0))
        .isInstanceOf(IllegalStateException.class);
    assertThat(shard.files("b")).anyMatch(name -> name.endsWith(".copy"));

    shard.clock().advance(java.time.Duration.ofSeconds(2)); // it is saved
    shard.losePower("b");
    shard.start("b");

    assertThat(shard.files("b")).noneMatch(name -> name.endsWith(".copy"));
  }

  @Test
  void copyOfBeforeAPurgeIsDeleted() throws IOException {
    shard.damage("b", second(), 9000);
    Iterator<Long> said = List.of(0L, 20L).iterator();
    assertThatThrownBy(
            () -> of("b").replace(second(), place -> of("a").read(second(), place), said::next))
        .hasMessageContaining("being purged");
    assertThat(of("b").isSound(second())).isFalse();
    assertThat(shard.files("b")).noneMatch(name -> name.endsWith(".copy"));
  }
}
