package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/** The member of the group on this node, once it takes part. */
interface LogDivision {

  /** {@return the last entry of the log here} */
  long lastIndex();

  /** Takes the requests of other members from now on: the log has what it must have. */
  void takePart();

  /** {@return the index of the last entry that this node knows a majority has} */
  long committedIndex();

  /** {@return whether it leads, as far as it knows} */
  boolean isLeader();

  /** {@return what each other member has committed, as far as this one knows} */
  Map<NodeId, Long> committed();

  /** {@return how long ago this leader has heard each other member; empty if it does not lead} */
  Map<NodeId, Long> heardMillisAgo();

  /** {@return whether this member has not heard a leader for this time} */
  boolean hearsNoLeader(Duration silenceMax);

  /** {@return whether it takes proposals} */
  boolean isReady();

  /** {@return where an entry is, or null if the log does not have it} */
  @Nullable TermIndex termOf(long index);

  /** {@return the last entry that every member is known to have; empty if there is none} */
  OptionalLong leastCommitted();

  /** Submits an entry. Does not throw. */
  CompletableFuture<RaftClientReply> submit(ByteBuffer entry);

  /** Asks for {@link ShardStateMachine#takeSnapshot}. */
  CompletableFuture<?> compact();

  /** Asks that another member leads. Does not throw. */
  CompletableFuture<?> transferTo(NodeId other);

  /** Gives the leadership up. Does not throw. */
  CompletableFuture<?> stepDown();

  /** Forgets that a leader has said which entry is its first, so that it says it again. */
  void askAgain(long first);

  /** {@return which nodes keep the log, as far as this one knows} */
  Configuration configuration();

  /** Changes that. Does not throw. */
  CompletableFuture<RaftClientReply> change(Configuration expected, Map<NodeId, String> wanted);

  /** {@return the member that lags least; empty if this one does not lead} */
  Optional<NodeId> successor();

  /** Leaves the shard without waiting for that. */
  void closeLater();
}
