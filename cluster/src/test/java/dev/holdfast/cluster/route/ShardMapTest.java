package dev.holdfast.cluster.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class ShardMapTest {

  @Property(tries = 128)
  void evenShardsCoverEachSlotOnceAndDifferByOneAtMost(
      @ForAll @IntRange(min = 1, max = 128) int n) {
    ShardMap map = ShardMap.even(n);

    assertThat(map.shardCount()).isEqualTo(n);
    int next = 0;
    for (ShardRange range : map.ranges()) {
      assertThat(range.first()).isEqualTo(next);
      assertThat(range.size()).isBetween(Slot.COUNT / n, Slot.COUNT / n + 1);
      next = range.end();
    }
    assertThat(next).isEqualTo(Slot.COUNT);
  }

  @Property(tries = 200)
  void shardOfAnObjectHasItsSlot(
      @ForAll @IntRange(min = 1, max = 128) int n, @ForAll @Size(32) byte[] id) {
    ShardMap map = ShardMap.even(n);
    ObjectId object = ObjectId.of(id, null);

    assertThat(map.ranges().get(map.shardOf(object)).contains(Slot.of(object))).isTrue();
  }

  @Property(tries = 100)
  void anyDivisionOfTheSlotsIsAMap(@ForAll long seed, @ForAll @IntRange(min = 1, max = 128) int n) {
    Random random = new Random(seed);
    List<Integer> cuts =
        new ArrayList<>(
            random.ints(1, Slot.COUNT).distinct().limit(n - 1).sorted().boxed().toList());
    cuts.add(Slot.COUNT);
    List<ShardRange> ranges = new ArrayList<>();
    int first = 0;
    for (int end : cuts) {
      ranges.add(new ShardRange(first, end));
      first = end;
    }
    Collections.shuffle(ranges, random);

    ShardMap map = ShardMap.of(ranges);

    for (int slot = 0; slot < Slot.COUNT; slot += 1 + random.nextInt(100)) {
      assertThat(ranges.get(map.shardOf(slot)).contains(slot)).isTrue();
    }
  }

  @Example
  void slotIsTheFirstFourteenBits() {
    assertThat(slotOf("0000")).isZero();
    assertThat(slotOf("0003")).isZero();
    assertThat(slotOf("0004")).isEqualTo(1);
    assertThat(slotOf("8000")).isEqualTo(8192);
    assertThat(slotOf("ffff")).isEqualTo(16_383);
  }

  private static int slotOf(String firstBytes) {
    return Slot.of(ObjectId.of(HexFormat.of().parseHex(firstBytes + "55".repeat(30)), null));
  }

  @Example
  void rangesWithAGapOrAnOverlapAreRefused() {
    assertThatThrownBy(() -> ShardMap.of(List.of(new ShardRange(0, 9), new ShardRange(8, 16_384))))
        .hasMessage("Slot 8 belongs to two shards.");
    assertThatThrownBy(() -> ShardMap.of(List.of(new ShardRange(0, 9), new ShardRange(10, 16_384))))
        .hasMessage("1 slots belong to no shard; each must belong to one.");
    assertThatThrownBy(() -> new ShardRange(5, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ShardRange(0, 16_385))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ShardMap.even(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ShardMap.even(129)).isInstanceOf(IllegalArgumentException.class);
  }
}
