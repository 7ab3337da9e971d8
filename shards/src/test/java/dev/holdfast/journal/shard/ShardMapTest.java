package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class ShardMapTest {

  private static final int SLOTS = 1 << 14;

  @Property(tries = 128)
  void shardsCoverEachSlotOnceInOrderAndDifferByOneAtMost(
      @ForAll @IntRange(min = 1, max = 128) int n) {
    ShardMap map = new ShardMap(n);
    int[] slots = new int[n];
    int last = 0;

    for (int slot = 0; slot < SLOTS; slot++) {
      byte[] id = new byte[32];
      ByteBuffer.wrap(id).putShort((short) (slot << 2));
      int shard = map.shardOf(ObjectId.of(id, null));
      assertThat(shard).isBetween(last, n - 1);
      slots[shard]++;
      last = shard;
    }

    for (int count : slots) {
      assertThat(count).isBetween(SLOTS / n, (SLOTS + n - 1) / n);
    }
  }

  @Property(tries = 200)
  void idsOfAShardAreBetweenItsFirstOnesAndThoseOfTheNext(
      @ForAll @IntRange(min = 1, max = 128) int n, @ForAll @Size(32) byte[] id) {
    ShardMap map = new ShardMap(n);
    int shard = map.shardOf(ObjectId.of(id, null));

    assertThat(Arrays.compareUnsigned(map.firstIds(shard), id)).isNotPositive();
    assertThat(Arrays.compareUnsigned(id, map.firstIds(shard + 1))).isNegative();
    assertThat(map.shardOf(map.placeIn(shard))).isEqualTo(shard);
  }

  @Example
  void slotIsTheFirstFourteenBits() {
    ShardMap two = new ShardMap(2);
    assertThat(two.shardOf(id("0000"))).isZero();
    assertThat(two.shardOf(id("7fff"))).isZero();
    assertThat(two.shardOf(id("8000"))).isEqualTo(1);
    assertThat(id("0003").slot()).isZero();
    assertThat(id("0004").slot()).isEqualTo(1);
    assertThat(id("ffff").slot()).isEqualTo(SLOTS - 1);
    assertThat(two.placeIn(1)).isEqualTo(ObjectId.of(bytes("8000" + "00".repeat(30)), null));
    assertThat(two.firstIds(2)).hasSize(33).containsOnly((byte) 0xFF);
  }

  private static ObjectId id(String firstBytes) {
    return ObjectId.of(bytes(firstBytes + "55".repeat(30)), null);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  @Example
  void fewerOrMoreShardsThanAClusterHasAreRefused() {
    assertThatThrownBy(() -> new ShardMap(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ShardMap(129))
        .hasMessage("A cluster has from 1 to 128 shards, not 129");
  }
}
