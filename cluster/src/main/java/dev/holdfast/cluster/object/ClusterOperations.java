package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.filter.Headers;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.runtime.OutsideCalls;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The operations of every shard, wherever its owner is. Thread-safe. */
public final class ClusterOperations {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final ClusterCalls calls;
  private final ShardService service;
  private final ShardMap map;
  private final LongSupplier random;

  /**
   * Creates them for a node.
   *
   * @param calls makes the calls
   * @param service does the operations of shards that this node owns
   * @param map the shard of each object
   * @param random numbers of what travels
   */
  public ClusterOperations(
      ClusterCalls calls, ShardService service, ShardMap map, LongSupplier random) {
    this.calls = calls;
    this.service = service;
    this.map = map;
    this.random = random;
  }

  /** {@return a number that nothing else has that is under way} */
  long newNumber() {
    return random.getAsLong();
  }

  /** {@return the number of shards} */
  public int shards() {
    return map.shardCount();
  }

  /**
   * Does an operation in every shard, one after the other. The first failure ends it.
   *
   * @param <R> what the operation gives
   * @param operation does it in one shard
   * @return what it gives in each shard, in the order of their numbers
   */
  public <R> List<R> inAll(Function<ShardOperations, R> operation) {
    return IntStream.range(0, shards()).mapToObj(shard -> operation.apply(of(shard))).toList();
  }

  /**
   * Finds a shard. Its operations throw {@link MisuseException} if an object calls, except {@code
   * list}.
   *
   * @param shard its number, from 0
   * @return its operations, wherever its owner is
   */
  public ShardOperations of(int shard) {
    return of(map.placeIn(shard));
  }

  /**
   * Has the owner of a shard perform an operation for operators, once at most.
   *
   * @param shard its number, from 0
   * @param request the operation
   * @param answers receives the answers
   * @return a sentence for a person; null if there is none
   * @throws dev.holdfast.HoldfastException if the operation fails, or no owner answers
   */
  public @Nullable String operate(int shard, OperatorRequest request, Answers answers) {
    ObjectId place = map.placeIn(shard);
    ShardAnswers given;
    try {
      given = ShardAnswers.of(of(place).operate(ShardAnswers.write(request)));
    } catch (ObjectUnavailableException e) {
      // The place is not an object that a person has asked for.
      String why = String.valueOf(e.getMessage());
      throw new OperatorException(
          Reason.FAILED,
          why.replace(" [object " + ShardOperations.TARGET + "/" + place + "]", ""),
          e);
    }
    given.passTo(answers);
    return given.note();
  }

  /** {@return the operations of the shard that an object is in} */
  ShardOperations of(ObjectId place) {
    return of(place, /* timeout= */ null);
  }

  /** {@return the operations of the shard that an object is in, each with a time-out or none} */
  ShardOperations of(ObjectId place, @Nullable Duration timeout) {
    return (ShardOperations)
        Proxy.newProxyInstance(
            ShardOperations.class.getClassLoader(),
            new Class<?>[] {ShardOperations.class},
            (_, method, arguments) ->
                make(place, timeout, method, arguments == null ? NO_ARGUMENTS : arguments));
  }

  private @Nullable Object make(
      ObjectId place, @Nullable Duration timeout, Method method, @Nullable Object[] arguments)
      throws Throwable {
    RemoteMethod called = service.methods().method(method);
    // If an operation has a namespace, it is the first argument.
    String namespace =
        arguments.length > 0 && arguments[0] instanceof String first
            ? first
            : ShardOperations.TARGET;
    if (OutsideCalls.isInObject() && !method.getName().equals("list")) {
      throw new MisuseException(
          namespace,
          place,
          MisuseException.Reason.INSIDE_OBJECT,
          "An object cannot administer objects of its cluster; do it from outside.");
    }
    ClusterCalls.Call call =
        new ClusterCalls.Call(
            ShardOperations.TARGET, namespace, place, called, timeout, Headers.NONE);
    return calls.make(call, arguments, (here, _) -> service.invoke(here, called, arguments), null);
  }
}
