package dev.holdfast.operator;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.spi.inspect.Inspection.Changed;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The operations that change an object, or carry it to a file. Thread-safe. */
final class ObjectChanges {

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final Addresses addresses;

  ObjectChanges(ObjectRuntime runtime, Inspection inspection, Addresses addresses) {
    this.runtime = runtime;
    this.inspection = inspection;
    this.addresses = addresses;
  }

  @Nullable String export(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    Path file = Path.of(request.text("file"));
    recovery(key).exportTo(file);
    return answer(answers, key, "file", file.toString());
  }

  @Nullable String importFile(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    recovery(key).importFrom(Path.of(request.text("file")));
    return answer(answers, key, "file", request.text("file"));
  }

  @Nullable String fork(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    ObjectRecovery recovery = recovery(key);
    String bookmark = JournalReads.bookmark(recovery, request.text("bookmark"));
    if (request.isSet("near")) {
      recovery.fork(bookmark, request.text("name"), key.id());
    } else {
      recovery.fork(bookmark, request.text("name"));
    }
    return answer(answers, key, "fork", request.text("name"));
  }

  @Nullable String restore(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    String bookmark = JournalReads.bookmark(recovery(key), request.text("bookmark"));
    String undo = runtime.admin().restoreNow(key.namespace(), key.id(), bookmark);
    return answer(answers, key, "undo", undo);
  }

  @Nullable String withdraw(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    return answer(answers, key, "withdrawn", recovery(key).withdrawRestore());
  }

  @Nullable String delete(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    Map<String, @Nullable Object> answer = Addresses.of(key);
    Changed<Boolean> deletion = inspection.delete(key);
    answer.put("deleted", deletion.result());
    answer.put("undo", deletion.undo());
    answers.add(answer);
    return null;
  }

  /** The end of the history is durable at once; the bytes go in the background. */
  @Nullable String purge(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    CompletableFuture<Void> erased = runtime.admin().purgeHistory(key.namespace(), key.id());
    if (request.isSet("wait") || erased.isDone()) {
      Operations.ended(erased);
    }
    return answer(answers, key, "erased", erased.isDone());
  }

  @Nullable String reset(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    return answer(answers, key, "reset", runtime.admin().reset(key.namespace(), key.id()));
  }

  @Nullable String evict(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.object(request);
    return answer(answers, key, "evicted", runtime.admin().evict(key.namespace(), key.id()));
  }

  private ObjectRecovery recovery(ObjectKey key) {
    return runtime.recovery(key.namespace(), key.id());
  }

  private static @Nullable String answer(
      Answers answers, ObjectKey key, String member, Object value) {
    Map<String, @Nullable Object> answer = Addresses.of(key);
    answer.put(member, value);
    answers.add(answer);
    return null;
  }
}
