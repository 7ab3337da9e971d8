package dev.holdfast.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code node} against {@code docs/formats/node.md}. */
final class GoldenNodeFileTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  /** Written by hand, as the format says. */
  private static final String GOLDEN =
      """
      cluster=shop
      first=a,b,c
      incarnation=1122334455667788
      joined=true
      member.b=55 10000000066
      node=a
      opening=20000000000
      removed.c=77
      shard.0=17 a=10.0.0.1:7401,b=10.0.0.2:7401
      shards=2
      version.1=3
      """;

  @TempDir Path directory;

  @Test
  void fileIsWrittenAsTheFormatSays() throws IOException {
    open(() -> 0x1122334455667788L);
    NodeFile node = open(() -> 0);
    node.joined();
    node.agreeBeginning("a,b,c");
    node.met(B, 0x55, (1L << 40) | 0x66);
    node.met(C, 0x77, 1L << 40);
    node.configured(
        Map.of(0, Configuration.of(17, Map.of(A, "10.0.0.1:7401", B, "10.0.0.2:7401"))));
    node.removed(C, OptionalLong.empty());
    node.agreedVersion(1, 3);

    assertThat(directory.resolve("node")).hasContent(GOLDEN.strip());
  }

  @Test
  void fileIsReadAsTheFormatSays() throws IOException {
    Files.writeString(directory.resolve("node"), GOLDEN);

    NodeFile node = NodeFile.existing(new FileDisk(), directory);

    assertThat(node.cluster()).isEqualTo("shop");
    assertThat(node.node()).isEqualTo("a");
    assertThat(node.shards()).isEqualTo(2);
    assertThat(node.incarnation()).isEqualTo(0x1122334455667788L);
    assertThat(node.opening()).isEqualTo(2L << 40);
    assertThat(node.lineage()).isZero();
    assertThat(node.hasJoined()).isTrue();
    assertThat(node.incarnationOf(B)).hasValue(0x55);
    assertThat(node.met(B, 0x55, 1L << 40)).as("an older opening").isFalse();
    assertThat(node.agreedBeginning()).contains("a,b,c");
    assertThat(node.isRemoved(C, 0x77)).isTrue();
    assertThat(node.agreedVersion(0)).isEqualTo(2);
    assertThat(node.agreedVersion(1)).isEqualTo(3);
    assertThat(node.configurationOf(0))
        .contains(Configuration.of(17, Map.of(A, "10.0.0.1:7401", B, "10.0.0.2:7401")));
  }

  @Test
  void openingThatWasRefusedMayBeRepeatedWithOtherOptions() {
    NodeFile.open(new FileDisk(), directory, "shop", A, 6, /* isAdded= */ true, new Random(1));

    NodeFile node =
        NodeFile.open(new FileDisk(), directory, "sho", A, 3, /* isAdded= */ false, new Random(2));

    assertThat(node.cluster()).isEqualTo("sho");
    assertThat(node.shards()).isEqualTo(3);
    assertThat(node.isAdded()).isFalse();
    assertThatThrownBy(
            () ->
                NodeFile.open(
                    new FileDisk(), directory, "sho", B, 3, /* isAdded= */ false, new Random(3)))
        .isInstanceOf(DataDirectoryException.class);
    node.joined();
    assertThatThrownBy(() -> open(new Random(4))).isInstanceOf(DataDirectoryException.class);
  }

  /** The other nodes would refuse the directory as an older state of it. */
  @Test
  void lateThreadOfAClosedNodeReplacesNothingOfTheNextOpening() {
    NodeFile closed = open(new Random(1));
    closed.close();
    long opening = open(new Random(2)).opening();

    assertThatThrownBy(() -> closed.met(B, 0x55, 1L << 40))
        .isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(closed::joined).isInstanceOf(DataDirectoryException.class);

    NodeFile found = NodeFile.existing(new FileDisk(), directory);
    assertThat(found.opening()).isEqualTo(opening);
    assertThat(found.hasJoined()).isFalse();
  }

  private NodeFile open(RandomGenerator random) {
    return NodeFile.open(
        new FileDisk(), directory, "shop", A, /* shards= */ 2, /* isAdded= */ false, random);
  }
}
