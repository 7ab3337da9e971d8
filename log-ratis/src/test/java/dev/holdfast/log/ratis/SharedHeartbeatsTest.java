package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

/** The message that stands for the heartbeats of idle shards, and its answer. */
final class SharedHeartbeatsTest {

  private static final RaftPeerId LEADER = RaftPeerId.valueOf("knoten-ä");
  private static final RaftGroupId FOLLOWED = RaftGroupId.valueOf(new UUID(1, 2));
  private static final RaftGroupId REFUSED = RaftGroupId.valueOf(new UUID(1, 3));
  private static final RaftGroupId NOT_OPEN = RaftGroupId.valueOf(new UUID(1, 4));

  private final List<String> heard = new ArrayList<>();

  private final SharedHeartbeats heartbeats =
      new SharedHeartbeats(
          RaftPeerId.valueOf("b"),
          List::of,
          group ->
              group.equals(NOT_OPEN)
                  ? null
                  : (leader, term, last) -> {
                    heard.add(leader + " " + term + " " + last);
                    return group.equals(FOLLOWED);
                  });

  @Test
  void answerSaysWhichShardsHaveHeardTheirLeader() {
    byte[] message =
        SharedHeartbeats.encode(
            LEADER,
            List.of(
                new SharedHeartbeats.Idle(REFUSED, 7, 70),
                new SharedHeartbeats.Idle(FOLLOWED, 8, 80),
                new SharedHeartbeats.Idle(NOT_OPEN, 9, 90)));

    assertThat(heartbeats.answer(message)).containsExactly(0, 1, 0);
    assertThat(heard).containsExactly("knoten-ä 7 70", "knoten-ä 8 80");
  }

  /** One shard of many is just closed: the others are heard. */
  @Test
  void memberThatFailsIsLeftOut() {
    SharedHeartbeats.Follower failing =
        (leader, term, last) -> {
          throw new IllegalStateException("closed");
        };
    SharedHeartbeats some =
        new SharedHeartbeats(
            RaftPeerId.valueOf("b"),
            List::of,
            group -> group.equals(REFUSED) ? failing : (leader, term, last) -> true);

    assertThat(
            some.answer(
                SharedHeartbeats.encode(
                    LEADER,
                    List.of(
                        new SharedHeartbeats.Idle(REFUSED, 7, 70),
                        new SharedHeartbeats.Idle(FOLLOWED, 8, 80)))))
        .containsExactly(0, 1);
  }

  /** Nodes of two versions run together while a cluster is upgraded. */
  @Test
  void messageKeepsItsForm() {
    byte[] name = "a".getBytes(StandardCharsets.UTF_8);

    assertThat(
            SharedHeartbeats.encode(
                RaftPeerId.valueOf("a"), List.of(new SharedHeartbeats.Idle(FOLLOWED, 5, 6))))
        .isEqualTo(
            ByteBuffer.allocate(34)
                .put((byte) 1)
                .put(name)
                .putLong(1)
                .putLong(2)
                .putLong(5)
                .putLong(6)
                .array());
  }
}
