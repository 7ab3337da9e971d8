package dev.holdfast.cluster.frame;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one node sends to another; {@code docs/formats/call-protocol.md} has the bytes. Immutable,
 * except for arrays of bytes, which nobody changes.
 */
public sealed interface Frame {

  /** The oldest version that this code speaks. */
  int VERSION_MIN = 1;

  /** The newest version that this code speaks. */
  int VERSION = 1;

  /** Maximum length of a frame in bytes, without the four bytes that state it. */
  int LENGTH_MAX = 64 << 20;

  /** Maximum length of the first frame of a connection: its sender is not known yet. */
  int HELLO_LENGTH_MAX = 1 << 10;

  /** Maximum number of arguments of a call: that of a method of the JVM. */
  int ARGUMENTS_MAX = 255;

  /** Maximum number of executions that wait for a call, over all nodes. */
  int CHAIN_MAX = 128;

  /** Maximum number of exceptions in a chain of causes; the rest is dropped. */
  int CAUSES_MAX = 16;

  /** Maximum number of details of an exception. */
  int DETAILS_MAX = 16;

  /** Maximum length of a text in bytes of UTF-8. */
  int TEXT_BYTES_MAX = 0xFFFF;

  /**
   * The number of the call that a frame belongs to.
   *
   * @return from 1 on, in the order in which a connection sends calls; 0 if the frame belongs to
   *     the connection
   */
  default long number() {
    return 0;
  }

  /**
   * The first frame of each direction.
   *
   * @param versionMin the lowest version of the protocol that the node speaks
   * @param versionMax the highest one
   * @param cluster the name of the cluster
   * @param node the node
   * @param incarnation of the node's data directory
   * @param peer the node that is expected at the other end
   * @param wallMillis the node's clock, milliseconds since 1970
   * @param opening how often the directory was opened, in the upper 24 bits, and a random number
   *     for this opening: a copy of an older state is known by it; 0 of a client, which has none
   * @param shards the number of shards; 0 of a client, which asks for it
   * @param members the names of all members, sorted, with commas between them
   * @param lineage which cluster of the name it is: 0, or how often it was recovered from a single
   *     copy, in the upper 24 bits, and a random number
   * @param entries the versions of the entries of the logs
   * @param isFirst whether the node is to begin the cluster with these members, and has begun no
   *     log yet
   */
  record Hello(
      int versionMin,
      int versionMax,
      String cluster,
      NodeId node,
      long incarnation,
      NodeId peer,
      long wallMillis,
      long opening,
      int shards,
      String members,
      long lineage,
      Entries entries,
      boolean isFirst)
      implements Frame {

    /** {@return whether this is a client: it calls, and is no member} */
    public boolean isClient() {
      return opening == 0;
    }
  }

  /**
   * The versions of the entries of the logs, as a node has them.
   *
   * @param min the oldest one that the node reads
   * @param max the newest one
   * @param agreed the newest one that the owner of a shard writes, as far as the node knows
   */
  record Entries(int min, int max, int agreed) {}

  /**
   * A call of an object.
   *
   * @param number of the call
   * @param namespace the object's namespace
   * @param id the object; its name travels with it
   * @param method the method and its parameter types, such as {@code add(java.lang.String,int)}
   * @param timeoutNanos the time that the caller still waits; 0 for no limit
   * @param headers what filters have added
   * @param chain the executions that wait for this call, the outermost first
   * @param arguments of the method
   */
  record Call(
      long number,
      String namespace,
      ObjectId id,
      String method,
      long timeoutNanos,
      List<Header> headers,
      List<RemoteCaller> chain,
      List<Value> arguments)
      implements Frame {}

  /**
   * A header of a call.
   *
   * @param name a token in lower case
   * @param value its value
   * @param kept whether alarms keep it
   */
  record Header(String name, String value, boolean kept) {}

  /**
   * The call has ended, and all that its result depends on is durable.
   *
   * @param number of the call
   * @param value its result
   */
  record Reply(long number, Value value) implements Frame {}

  /**
   * The call has ended with an exception, or the owner reports what became of it.
   *
   * @param number of the call
   * @param thrown the exception
   */
  record Failure(long number, Thrown thrown) implements Frame {}

  /**
   * An exception.
   *
   * @param className its class
   * @param message its message
   * @param stack its stack as text, without those of its causes
   * @param details what its class has beside a message, for classes of Holdfast
   * @param cause its cause
   */
  record Thrown(
      String className,
      @Nullable String message,
      String stack,
      List<String> details,
      @Nullable Thrown cause) {}

  /**
   * The call has not begun: this node does not own the object.
   *
   * @param number of the call
   * @param shard the shard of the object
   * @param epoch of the ownership; 0 if no owner is known
   * @param owner the owner; null if none is known
   */
  record Redirect(long number, int shard, long epoch, @Nullable NodeId owner) implements Frame {}

  /**
   * The call has not begun and will not; or, without a number, the connection is refused.
   *
   * @param number of the call, or 0
   * @param reason why
   * @param message what to do
   */
  record Refused(long number, RefusalReason reason, String message) implements Frame {}

  /**
   * The caller does not wait for the call any more. It is answered all the same.
   *
   * @param number of the call
   */
  record Cancel(long number) implements Frame {}

  /** The sender is alive and has nothing else to send. */
  record Ping() implements Frame {}
}
