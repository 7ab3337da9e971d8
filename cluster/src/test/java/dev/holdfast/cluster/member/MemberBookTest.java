package dev.holdfast.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The members are those of the logs, and are known again after a restart. */
final class MemberBookTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final NodeId D = new NodeId("d");

  @TempDir private Path directory;

  private final Disk disk = new FileDisk();

  private NodeFile file(NodeId self, boolean isAdded) {
    return NodeFile.open(disk, directory, "shop", self, 2, isAdded, new Random(7));
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress("127.0.0.1", port);
  }

  private static Map<NodeId, InetSocketAddress> own(NodeId... nodes) {
    Map<NodeId, InetSocketAddress> all = new HashMap<>();
    for (NodeId node : nodes) {
      all.put(node, at(7000 + node.name().charAt(0)));
    }
    return all;
  }

  private static MemberBook book(NodeFile file, NodeId self, NodeId... nodes) {
    return new MemberBook(file, self, own(nodes), 2, 4);
  }

  private static Configuration agreed(long index, NodeId... nodes) {
    Map<NodeId, String> members = new HashMap<>();
    for (NodeId node : nodes) {
      members.put(node, "127.0.0.1:" + (8001 + node.name().charAt(0)));
    }
    return Configuration.of(index, members);
  }

  @Test
  void nodeThatKeepsAnyShardIsAMember() {
    List<String> heard = new ArrayList<>();
    MemberBook book = book(file(A, false), A, A, B, C);
    book.onChange((joined, gone) -> heard.add("+" + joined + " -" + gone));
    assertThat(book.nodes()).containsExactly(A, B, C);

    book.configured(0, agreed(3, A, B, C, D));
    assertThat(book.nodes()).containsExactly(A, B, C, D);
    assertThat(book.addressOf(D)).contains(at(8000 + 'd'));
    assertThat(book.addressOf(B)).as("the options win").contains(at(7000 + 'b'));

    book.configured(0, agreed(5, A, B, D));
    assertThat(book.nodes()).as("shard 1 has c").containsExactly(A, B, C, D);
    book.configured(1, agreed(4, A, B, D));
    assertThat(book.nodes()).containsExactly(A, B, D);
    assertThat(book.addressOf(C)).isEmpty();
    book.configured(1, agreed(3, A, B, C));
    assertThat(book.nodes()).as("an earlier one").containsExactly(A, B, D);
    assertThat(heard).containsExactly("+[d] -[]", "+[] -[c]");
  }

  /** The fifth may have begun with four others while this one was away. */
  @Test
  void memberOfFiveThatHasNotComeMayHaveBegunElsewhere() {
    MemberBook book = book(file(A, false), A, A, B, C, D, new NodeId("e"));
    List.of(B, C, D).forEach(node -> book.reads(node, 4));
    assertThat(book.versionToAgree(0)).isEqualTo(2);
    book.reads(new NodeId("e"), 4);
    assertThat(book.versionToAgree(0)).isEqualTo(4);
  }

  @Test
  void newestVersionThatAllMembersReadIsAgreed() {
    MemberBook book = book(file(A, false), A, A, B, C);
    assertThat(book.versionToAgree(0)).as("nobody has ever come").isEqualTo(4);
    book.met(B, 5, 1L << 40);
    book.met(C, 6, 1L << 40);
    assertThat(book.versionToAgree(0)).as("nobody has said anything").isEqualTo(2);
    book.reads(B, 4);
    assertThat(book.versionToAgree(0)).as("c has not").isEqualTo(2);
    book.reads(C, 3);
    assertThat(book.versionToAgree(0)).isEqualTo(3);
    book.configured(1, agreed(5, A, B));
    assertThat(book.versionToAgree(1)).as("c has no copy of it").isEqualTo(4);
    book.agreedVersion(0, 3);
    book.agreedVersion(0, 2);
    assertThat(book.agreedEntries()).isEqualTo(3);

    MemberBook again = book(file(A, false), A, A, B, C);
    assertThat(again.agreedVersion(0)).isEqualTo(3);
    assertThat(again.agreedVersion(1)).isEqualTo(2);
    assertThat(again.versionToAgree(0)).as("nobody has said anything yet").isEqualTo(3);
    again.reads(B, 4);
    again.reads(C, 2);
    assertThat(again.versionToAgree(0)).as("never lowered").isEqualTo(3);
  }

  @Test
  void foundersAreAMajorityOfThreeOrFourAndOfMoreAll() {
    NodeId e = new NodeId("e");
    NodeFile file = file(A, false);
    assertThat(book(file, A, C, B, A).founders()).containsExactly(A, B);
    assertThat(book(file, A, D, C, B, A).founders()).containsExactly(A, B, C);
    assertThat(book(file, A, e, D, C, B, A).founders()).containsExactly(A, B, C, D, e);
  }

  /** A node that was met may have begun with it. */
  @Test
  void clusterBeginsWithWhatWasSaidWhenNodesMet() {
    book(file(A, false), A, A, B, C, D).requireAgreedBeginning();
    MemberBook book = book(file(A, false), A, A, B, C);
    assertThat(book.met(B, 5, 1L << 40)).isTrue();
    book.requireAgreedBeginning();

    book(file(A, false), A, C, B, A).requireAgreedBeginning();
    assertNotBegun(book(file(A, false), A, A, B, D), "not with a,b,d.");
    assertNotBegun(book(file(A, false), A, A), "not with a.");
    assertThatThrownBy(
            () -> NodeFile.open(disk, directory, "shop", A, 3, /* isAdded= */ false, new Random(8)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("of shards 2, and is opened for 3");
    NodeFile.open(disk, directory, "shop", A, 3, /* isAdded= */ true, new Random(8));

    NodeFile waits = file(A, /* isAdded= */ true);
    book(waits, A, B, C, D).requireAgreedBeginning(); // it begins nothing
    NodeFile joined = file(A, /* isAdded= */ false);
    joined.joined();
    book(joined, A, A, B, D).requireAgreedBeginning(); // the logs say it
    assertThat(book(joined, A, A, B, D).begunWith()).hasValue("a,b,c");
    assertThat(book.begunWith()).as("it has not begun").isEmpty();
  }

  private static void assertNotBegun(MemberBook book, String why) {
    assertThatThrownBy(book::requireAgreedBeginning)
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.MEMBERS))
        .hasMessageContaining("to begin with the members a,b,c")
        .hasMessageContaining(why);
  }

  @Test
  void nodeThatWasNotAddedIsLetInNoMore() {
    MemberBook book = book(file(A, false), A, A, B, C);
    book.admit(D, at(1));
    assertThat(book.addressOf(D)).contains(at(1));
    assertThat(book.logAddresses()).containsKey(D);
    book.dismiss(D);
    assertThat(book.addressOf(D)).isEmpty();
    assertThat(book.logAddresses()).doesNotContainKey(D);
    book.dismiss(B);
    assertThat(book.addressOf(B)).as("a member").isPresent();
  }

  @Test
  void membersAndRemovedDirectoriesAreKnownAfterARestart() {
    MemberBook book = book(file(A, false), A, A, B, C);
    assertThat(book.met(C, 77, 1L << 40)).isTrue();
    book.configured(0, agreed(5, A, B, D));
    book.configured(1, agreed(6, A, B, D));
    assertThat(book.isRemoved(C, 77)).as("other shards may have it").isFalse();
    book.removed(C, OptionalLong.of(77));
    book.removed(C, OptionalLong.of(79));
    book.removed(D, OptionalLong.empty());

    MemberBook again = book(file(A, false), A, A, B, C);
    assertThat(again.nodes()).containsExactly(A, B, D);
    assertThat(again.addressOf(D)).contains(at(8000 + 'd'));
    assertThat(again.isRemoved(C, 77)).isTrue();
    assertThat(again.isRemoved(C, 79)).isTrue();
    assertThat(again.isRemoved(C, 78)).as("another directory").isFalse();
    assertThat(again.incarnationOf(C)).as("another directory may come").isEmpty();
    again.configured(1, agreed(5, A, B, C));
    assertThat(again.nodes()).as("an earlier one").containsExactly(A, B, D);
  }

  /** Each new leader says which nodes keep the shard, and callers may wait for it. */
  @Test
  void leaderThatSaysTheSameMembersAgainIsWrittenLater() throws IOException {
    MemberBook book = book(file(A, false), A, A, B, C);
    book.begin();
    Path written = directory.resolve("node");
    book.configured(0, agreed(5, A, B, C));
    String first = Files.readString(written);
    assertThat(first).as("no longer the first members").contains("shard.0=5 a=");
    book.configured(0, agreed(7, A, B, C));
    assertThat(book.configurationOf(0)).contains(agreed(7, A, B, C));
    assertThat(written).hasContent(first);
    assertThat(book(file(A, false), A, A, B, C).configurationOf(0)).contains(agreed(5, A, B, C));

    book.configured(0, agreed(8, A, B, C));
    book.agreedVersion(0, 3);
    assertThat(Files.readString(written)).contains("shard.0=8 a=");
    book.configured(0, agreed(9, A, B, D));
    assertThat(Files.readString(written)).contains("shard.0=9 a=");
  }

  /** A list of members also names those that were added: none of them has nothing to lose. */
  @Test
  void nodeThatWasAddedIsNotOneThatTheClusterWasMadeWith() {
    NodeFile file = file(A, false);
    MemberBook book = book(file, A, A, B, C);
    assertThat(book.met(B, 77, 1L << 40)).isTrue();
    book.begin();
    assertThat(book.isOfFirst(C)).isTrue();

    MemberBook again = book(file, A, A, B, C, D);
    assertThat(again.isOfFirst(C)).isTrue();
    assertThat(again.isOfFirst(D)).as("added").isFalse();
  }

  @Test
  void directoryIsKnownUntilItWasRemoved() {
    NodeFile file = file(A, false);
    MemberBook book = book(file, A, A, B, C);
    assertThat(book.directories()).isEqualTo(Map.of(A, file.incarnation()));
    for (long incarnation : new long[] {77, 76, 78}) {
      assertThat(book.met(C, incarnation, 1L << 40)).isTrue();
      assertThat(book.directories()).isEqualTo(Map.of(A, file.incarnation(), C, incarnation));
      book.removed(C, OptionalLong.of(incarnation));
      assertThat(book.isRemoved(C, incarnation)).isTrue();
      assertThat(book.directories()).isEqualTo(Map.of(A, file.incarnation()));
    }
  }

  @Test
  void nodeWaitsUntilAShardHasIt() {
    MemberBook book = book(file(D, true), D, A, B, C, D);
    assertThat(book.nodes()).containsExactly(A, B, C);
    assertThat(book.isStarting()).isTrue();
    assertThat(book.logAddresses()).containsKey(D);
    book.opened();
    assertThat(book.isStarting()).isFalse();
    book.configured(0, agreed(3, A, B, C));
    assertThat(book.waits()).isTrue();
    book.configured(0, agreed(5, A, B, C, D));
    assertThat(book.waits()).isFalse();
    assertThat(book.nodes()).containsExactly(A, B, C, D);
    assertThat(book(file(D, false), D, A, B, C, D).waits()).isFalse();
  }

  /** A node that is added reads how its predecessor was removed, and how others joined. */
  @Test
  void historyRemovesNobody() {
    List<String> heard = new ArrayList<>();
    MemberBook book = book(file(D, true), D, A, B, C, D);
    book.onChange((joined, gone) -> heard.add("+" + joined + " -" + gone));
    assertThat(book.met(C, 77, 1L << 40)).isTrue();

    for (int shard = 0; shard < 2; shard++) {
      book.configured(shard, agreed(2, A, B, D));
      book.configured(shard, agreed(3, A, B));
    }
    assertThat(heard).noneMatch(each -> each.contains("-[d]"));
    assertThat(book.isRemoved(C, 77)).isFalse();
    assertThat(book.nodes()).containsExactly(A, B, C);
    for (int shard = 0; shard < 2; shard++) {
      book.configured(shard, agreed(7, A, C, D));
    }
    assertThat(book.nodes()).containsExactly(A, C, D);
    assertThat(book.isRemoved(C, 77)).isFalse();
  }

  /** A member that is away knows the old directory, and would send the new one away. */
  @Test
  void nameOfARemovedNodeIsNotUsedAgain() {
    MemberBook book = book(file(A, false), A, A, B, C);
    book.configured(0, agreed(5, A, B, D));
    book.configured(1, agreed(6, A, B, D));
    book.removed(C, OptionalLong.empty()); // nobody knows its directory
    assertThatThrownBy(() -> book.admit(C, at(9000)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("another name");
    assertThat(book.logAddresses()).doesNotContainKey(C);
  }

  /** Added while this node was away, it may be the only one that leads. */
  @Test
  void nodeThatTheOptionsNameMayConnectToTheLogs() {
    MemberBook book = book(file(A, false), A, A, B, D);
    book.configured(0, agreed(5, A, B, C));
    book.configured(1, agreed(6, A, B, C));
    book.removed(D, OptionalLong.empty());
    assertThat(book(file(A, false), A, A, B, C, D).logAddresses()).doesNotContainKey(D);
    NodeId e = new NodeId("e");
    assertThat(book(file(A, false), A, A, B, C, e).logAddresses()).containsKey(e);
  }

  @Test
  void candidateAndMemberOfAChangeUnderWayMayConnect() {
    MemberBook book = book(file(A, false), A, A, B, C);
    book.admit(D, at(9000));
    assertThat(book.addressOf(D)).contains(at(9000));
    assertThat(book.logAddresses().get(D)).isEqualTo(at(9001));
    assertThat(book.nodes()).containsExactly(A, B, C);

    NodeId e = new NodeId("e");
    book.follow(0, () -> agreed(9, A, B, C, e));
    assertThat(book.addressOf(e)).contains(at(8000 + 'e'));
    assertThat(book.logAddresses()).containsKey(e);
    assertThat(book.nodes()).containsExactly(A, B, C);
  }

  @Test
  void fileThatIsDamagedIsRefused() throws Exception {
    book(file(A, false), A, A, B, C).configured(0, agreed(5, A, B, D));
    Path file = directory.resolve(NodeFile.NAME);
    String text = Files.readString(file);
    assertThat(text).contains("shard.0=5 a=127.0.0.1:");
    for (String damaged : List.of("shard.0=5", "shard.0=x a=h:1", "shard.0=5 a")) {
      Files.writeString(file, text.replaceFirst("shard\\.0=.*", damaged));
      assertThatThrownBy(() -> file(A, false))
          .as(damaged)
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("cannot be read");
    }
  }
}
