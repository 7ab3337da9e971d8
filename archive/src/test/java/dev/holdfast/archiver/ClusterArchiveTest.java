package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.ShardEpoch;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The archives of shards in one store. The bytes are those of docs/formats/archive.md. */
final class ClusterArchiveTest {

  private final MemoryStore store = new MemoryStore();
  private final ClusterArchive archive =
      new ClusterArchive(store, new ClusterArchive.Identity("shop", 2));

  private static String text(ArchiveStore from, String name) throws IOException {
    try (InputStream open = Objects.requireNonNull(from.open(name))) {
      return new String(open.readAllBytes(), UTF_8);
    }
  }

  @Test
  void shardsHaveNamesOfTheirOwn() throws IOException {
    ArchiveStore first = archive.shard(0, 1);
    ArchiveStore second = archive.shard(1, 1);
    assertThat(first.putIfAbsent("a/1", ArchiveContent.of("x".getBytes(UTF_8)))).isTrue();
    assertThat(second.putIfAbsent("a/1", ArchiveContent.of("yy".getBytes(UTF_8)))).isTrue();
    assertThat(second.putIfAbsent("a/2", ArchiveContent.of("z".getBytes(UTF_8)))).isTrue();
    assertThat(second.putIfAbsent("a/2", ArchiveContent.of("w".getBytes(UTF_8)))).isFalse();
    assertThat(text(store, "shards/0000/a/1")).isEqualTo("x");
    assertThat(text(second, "a/1")).isEqualTo("yy");
    assertThat(second.list("a/", "", 10))
        .containsExactly(new ArchiveEntry("a/1", 2), new ArchiveEntry("a/2", 1));
    assertThat(second.list("a/", "a/1", 10)).containsExactly(new ArchiveEntry("a/2", 1));
    second.delete("a/1");
    assertThat(second.open("a/1")).isNull();
    assertThat(text(first, "a/1")).isEqualTo("x");
  }

  @Test
  void archiveThatIsReadTakesNoEntries() throws IOException {
    archive.shard(1, 1).putIfAbsent("a", ArchiveContent.of("x".getBytes(UTF_8)));
    ArchiveStore read = archive.shard(1);
    assertThat(text(read, "a")).isEqualTo("x");
    assertThatThrownBy(() -> read.putIfAbsent("b", ArchiveContent.of(new byte[1])))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("shards/0001 is only read");
    assertThat(store.open("shards/0001/b")).isNull();
  }

  @Test
  void entryNamesTheCluster() throws IOException {
    archive.shard(1, 1).putIfAbsent("a", ArchiveContent.of(new byte[1]));
    assertThat(text(store, "cluster"))
        .isEqualTo("version=1\ncluster=shop\nshards=2\ncrc=d32ff37d\n");
    assertThat(ClusterArchive.read(store).identity()).isEqualTo(archive.identity());
  }

  @Test
  void placeOfAnotherClusterGetsNothing() throws IOException {
    archive.shard(0, 1).putIfAbsent("a", ArchiveContent.of(new byte[1]));
    ClusterArchive other = new ClusterArchive(store, new ClusterArchive.Identity("shop", 3));
    assertThatThrownBy(() -> other.shard(2, 1).putIfAbsent("a", ArchiveContent.of(new byte[1])))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cluster shop with 2 shards");
    assertThat(other.shard(2).open("a")).isNull();
  }

  @Test
  void damagedEntryIsNoticed() throws IOException {
    store.putIfAbsent(
        "cluster",
        ArchiveContent.of("version=1\ncluster=shop\nshards=3\ncrc=d32ff37d\n".getBytes(UTF_8)));
    assertThatThrownBy(() -> ClusterArchive.read(store))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("damaged");
    assertThatThrownBy(() -> ClusterArchive.read(new MemoryStore()))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("no archive of a cluster");
  }

  @Test
  void generationOfAShardHasTheBytesOfTheFormat() throws IOException {
    Generation shard =
        new Generation(2, 3, 4, 5, new Generation.Origin(1, 6), 7, new ShardEpoch(8, 9), "h");
    String hex =
        "484641524347454e00000003"
            + "9aea145e"
            + "0000000000000002"
            + "0000000000000003"
            + "0000000000000004"
            + "0000000000000005"
            + "0000000000000001"
            + "0000000000000006"
            + "0000000000000007"
            + "0000000000000008"
            + "0000000000000009"
            + "68";
    assertThat(HexFormat.of().formatHex(shard.encode())).isEqualTo(hex);
    assertThat(Generation.decode(shard.encode(), "a generation")).isEqualTo(shard);
  }
}
