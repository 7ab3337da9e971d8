package dev.holdfast.embedded.model;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.TransactionalStorage;
import java.util.List;
import java.util.Map;

/**
 * Runs operations on the storage of an object and records the result of each.
 *
 * @param storage the storage
 * @param pairs the same, or the innermost transaction
 * @param told receives the results
 */
record OnStorage(ObjectStorage storage, TransactionalStorage pairs, List<String> told) {

  /** Ends a transaction that is meant to fail. */
  private static final class Wanted extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  void run(List<Op> ops) {
    for (Op op : ops) {
      try {
        told.add(take(op));
      } catch (StorageLimitException e) {
        told.add(e.getClass().getSimpleName());
      } catch (MisuseException e) {
        told.add(e.reason().name());
      }
    }
  }

  private String take(Op op) {
    return switch (op) {
      case Op.Get(var key, var options) ->
          pairs.get(key, Object.class, options).map(Texts::of).orElse("none");
      case Op.GetMany(var keys, var options) -> text(pairs.get(keys, Object.class, options));
      case Op.Put(var key, var value, var options) -> {
        pairs.put(key, value, options);
        yield "put";
      }
      case Op.PutMany(var entries, var options) -> {
        pairs.put(entries, options);
        yield "put";
      }
      case Op.Delete(var key, var options) -> String.valueOf(pairs.delete(key, options));
      case Op.DeleteMany(var keys, var options) -> String.valueOf(pairs.delete(keys, options));
      case Op.DeleteAll(var options) -> {
        storage.deleteAll(options);
        yield "deleted";
      }
      case Op.ListPairs(var options) -> text(pairs.list(options, Object.class));
      case Op.StreamPairs(var options) ->
          pairs.stream(options, Object.class)
              .map(pair -> Texts.of(pair.getKey(), pair.getValue()))
              .toList()
              .toString();
      case Op.Sync() -> {
        storage.sync();
        yield "synced";
      }
      case Op.Transaction transaction -> run(transaction);
      case Op.SyncTransaction(var body, var fails) -> run(body, fails);
    };
  }

  private String run(Op.Transaction op) {
    try {
      return storage.transaction(
          transaction -> {
            new OnStorage(storage, transaction, told).run(op.body());
            if (op.end() == Op.End.ROLLS_BACK) {
              transaction.rollback();
            }
            if (op.end() == Op.End.THROWS) {
              throw new Wanted();
            }
            return "returned";
          });
    } catch (Wanted e) {
      return "thrown";
    }
  }

  private String run(List<Op> body, boolean fails) {
    try {
      return storage.transactionSync(
          () -> {
            new OnStorage(storage, storage, told).run(body);
            if (fails) {
              throw new Wanted();
            }
            return "returned";
          });
    } catch (Wanted e) {
      return "thrown";
    }
  }

  private static String text(Map<String, Object> pairs) {
    return pairs.entrySet().stream()
        .map(pair -> Texts.of(pair.getKey(), pair.getValue()))
        .toList()
        .toString();
  }
}
