package dev.holdfast.embedded.model;

import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.util.List;
import java.util.Map;

/** One use of the key-value API. Every one is possible in every state. */
sealed interface Op {

  record Get(String key, ReadOptions options) implements Op {}

  record GetMany(List<String> keys, ReadOptions options) implements Op {}

  record Put(String key, Object value, WriteOptions options) implements Op {}

  record PutMany(Map<String, Object> pairs, WriteOptions options) implements Op {}

  record Delete(String key, WriteOptions options) implements Op {}

  record DeleteMany(List<String> keys, WriteOptions options) implements Op {}

  record DeleteAll(WriteOptions options) implements Op {}

  record ListPairs(ListOptions options) implements Op {}

  record StreamPairs(ListOptions options) implements Op {}

  /** Waits until everything is durable: the turn ends, a transaction does not. */
  record Sync() implements Op {}

  record Transaction(List<Op> body, End end) implements Op {}

  record SyncTransaction(List<Op> body, boolean fails) implements Op {}

  /** {@return whether something in it is written with {@code allowUnconfirmed}} */
  default boolean hasUnconfirmed() {
    return switch (this) {
      case Put(_, _, var options) -> options.allowUnconfirmed();
      case PutMany(_, var options) -> options.allowUnconfirmed();
      case Delete(_, var options) -> options.allowUnconfirmed();
      case DeleteMany(_, var options) -> options.allowUnconfirmed();
      case DeleteAll(var options) -> options.allowUnconfirmed();
      case Transaction(var body, _) -> body.stream().anyMatch(Op::hasUnconfirmed);
      case SyncTransaction(var body, _) -> body.stream().anyMatch(Op::hasUnconfirmed);
      case Get _, GetMany _, ListPairs _, StreamPairs _, Sync _ -> false;
    };
  }

  /** {@return whether the turn may end in it, so that what was written before it is a batch} */
  default boolean mayWait() {
    return switch (this) {
      case Get(_, var options) -> options.allowConcurrency();
      case GetMany(_, var options) -> options.allowConcurrency();
      case ListPairs(var options) -> options.read().allowConcurrency();
      case StreamPairs(var options) -> options.read().allowConcurrency();
      case Sync _, Transaction _ -> true;
      case SyncTransaction(var body, _) -> body.stream().anyMatch(Op::mayWait);
      case Put _, PutMany _, Delete _, DeleteMany _, DeleteAll _ -> false;
    };
  }

  /** How the code of a transaction ends. */
  enum End {
    RETURNS,
    ROLLS_BACK,
    THROWS
  }
}
