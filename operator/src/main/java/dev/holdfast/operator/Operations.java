package dev.holdfast.operator;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.OperatorOperation;
import dev.holdfast.health.Health;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.spi.inspect.OperatorJobs;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The operations for operators on one runtime. Only {@code application} runs code of the
 * application, and what changes an object resets it. Thread-safe.
 *
 * <p>Each operation has a verb, takes arguments and gives answers; {@code
 * docs/operations/inspect.md} lists them.
 */
public final class Operations implements OperatorService {

  private static final int BUSIEST_DEFAULT = 20;

  private final ObjectRuntime runtime;
  private final Inspection inspection;
  private final ObjectReads objects;
  private final SqlReads statements;
  private final ObjectChanges changes;
  private final ObjectEdits edits;
  private final RestoredObjects restores;
  private final AbandonedAlarms abandoned;
  private final JournalReads journal;
  private final PastReads past;
  private final Comparisons comparisons;
  private final TimeLines timeLines;
  private final Map<String, OperatorOperation> ofApplication;
  private final OperatorJobs jobs;
  private final LongOperations longer;

  /**
   * Creates the operations.
   *
   * @param opened the runtime
   */
  public Operations(InspectedRuntime opened) {
    this.runtime = opened.runtime();
    this.ofApplication = opened.operations();
    this.inspection = opened.inspection();
    this.jobs = opened.jobs();
    this.longer = new LongOperations(jobs, runtime::backup, () -> runtime.admin().purgeArchive());
    Addresses addresses = new Addresses(runtime, inspection);
    this.objects = new ObjectReads(runtime, inspection, addresses);
    this.statements = new SqlReads(inspection, addresses);
    this.edits = new ObjectEdits(inspection, addresses);
    this.changes = new ObjectChanges(runtime, inspection, addresses);
    this.restores = new RestoredObjects(runtime, inspection, addresses);
    this.abandoned = new AbandonedAlarms(inspection, addresses);
    this.journal = new JournalReads(runtime, inspection, addresses, opened.lastPosition());
    PastImages images = new PastImages();
    this.past = new PastReads(runtime, inspection, addresses, images);
    this.comparisons = new Comparisons(runtime, inspection, addresses, images);
    this.timeLines = new TimeLines(runtime, inspection, addresses, opened.lastPosition());
  }

  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    try {
      return dispatch(request, answers);
    } catch (OperatorException e) {
      throw e;
    } catch (HoldfastException | IllegalArgumentException | IllegalStateException e) {
      throw new OperatorException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable String dispatch(OperatorRequest request, Answers answers) {
    return switch (request.verb()) {
      case "namespaces" -> namespaces(answers);
      case "objects" -> objects.objects(request, answers);
      case "object" ->
          PastReads.isAsked(request)
              ? past.object(request, answers)
              : objects.object(request, answers);
      case "size" -> objects.size(request, answers);
      case "get" ->
          PastReads.isAsked(request) ? past.get(request, answers) : objects.get(request, answers);
      case "list" ->
          PastReads.isAsked(request) ? past.list(request, answers) : objects.list(request, answers);
      case "table" ->
          PastReads.isAsked(request)
              ? past.table(request, answers)
              : statements.table(request, answers);
      case "sql" -> statements.sql(request, answers);
      case "alarms" -> objects.alarms(request, answers);
      case "alarm-rearm" -> abandoned.rearm(request, answers);
      case "alarm-discard" -> abandoned.discard(request, answers);
      case "stats" -> stats(answers);
      case "health" -> health(answers);
      case "busiest" -> busiest(request, answers);
      case "consumers" -> EventConsumers.list(runtime.admin(), journal::timeAt, request, answers);
      case "consumer-reset" -> EventConsumers.reset(runtime.admin(), request, answers);
      case "consumer-remove" -> EventConsumers.remove(runtime.admin(), request, answers);
      case "executions" -> RunningExecutions.list(runtime.admin(), request, answers);
      case "journal" -> journal.journal(request, answers);
      case "changed" -> journal.changed(request, answers);
      case "history" -> journal.history(request, answers);
      case "diff" -> comparisons.diff(request, answers);
      case "commit" -> comparisons.commit(request, answers);
      case "timeline" -> timeLines.timeline(request, answers);
      case "writers" -> timeLines.writers(request, answers);
      case "export" -> changes.export(request, answers);
      case "put" -> edits.put(request, answers);
      case "remove" -> edits.remove(request, answers);
      case "exec" -> edits.exec(request, answers);
      case "alarm-set" -> edits.setAlarm(request, answers);
      case "alarm-cancel" -> edits.cancelAlarm(request, answers);
      case "purge" -> changes.purge(request, answers);
      case "import" -> changes.importFile(request, answers);
      case "fork" -> changes.fork(request, answers);
      case "restore" -> changes.restore(request, answers);
      case "restore-objects" -> restores.perform(request, answers);
      case "withdraw" -> changes.withdraw(request, answers);
      case "delete" -> changes.delete(request, answers);
      case "reset" -> changes.reset(request, answers);
      case "evict" -> changes.evict(request, answers);
      case "backup" -> longer.backup(request, answers);
      case "archive-purge" -> longer.purgeArchive(request, answers);
      case "jobs" -> {
        jobs.list().forEach(answers::add);
        yield null;
      }
      case "application" -> application(request, answers);
      default ->
          throw new OperatorException(
              Reason.WRONG_REQUEST,
              "There is no operation "
                  + request.verb()
                  + " here; the command line may be newer than the process.");
    };
  }

  private @Nullable String application(OperatorRequest request, Answers answers) {
    String name = request.text("name");
    OperatorOperation operation = ofApplication.get(name);
    if (operation == null) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "The application has no operation " + name + "; it may be another application.");
    }
    answers.add(operation.perform(runtime, request.arguments()));
    return null;
  }

  private @Nullable String namespaces(Answers answers) {
    inspection
        .namespaces()
        .forEach(
            (name, storage) -> {
              Map<String, @Nullable Object> answer = new LinkedHashMap<>();
              answer.put("namespace", name);
              answer.put("storage", storage.name().toLowerCase(Locale.ROOT));
              answers.add(answer);
            });
    return null;
  }

  private @Nullable String stats(Answers answers) {
    answers.add(Plain.map(runtime.statistics()));
    return null;
  }

  private @Nullable String health(Answers answers) {
    Health health = runtime.health();
    answers.add(Plain.map(health));
    return null;
  }

  private @Nullable String busiest(OperatorRequest request, Answers answers) {
    String by = request.textOrNull("by");
    int count = request.limit(BUSIEST_DEFAULT, Integer.MAX_VALUE);
    for (BusyObject busy : runtime.busiest(count, by == null ? BusyBy.CALLS : busyBy(by))) {
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      answer.put("namespace", busy.namespace());
      answer.put("id", busy.id());
      answer.put("name", busy.name().orElse(null));
      answer.put("value", busy.value());
      answers.add(answer);
    }
    return null;
  }

  /** {@return what a piece of work in the background has returned} */
  static <T extends @Nullable Object> T ended(CompletableFuture<T> work) {
    try {
      return work.get();
    } catch (ExecutionException e) {
      throw new OperatorException(
          Reason.FAILED,
          e.getCause() == null ? String.valueOf(e) : String.valueOf(e.getCause().getMessage()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(Reason.FAILED, "The process is being closed; repeat it", e);
    }
  }

  private static BusyBy busyBy(String text) {
    try {
      return BusyBy.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "Objects cannot be compared by "
              + text
              + "; there are "
              + Arrays.toString(BusyBy.values()).toLowerCase(Locale.ROOT)
              + ".",
          e);
    }
  }
}
