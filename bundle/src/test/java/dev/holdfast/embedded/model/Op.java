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

  /** How the code of a transaction ends. */
  enum End {
    RETURNS,
    ROLLS_BACK,
    THROWS
  }
}
