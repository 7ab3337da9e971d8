package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.value.ValueTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A verb of {@code inspect}: a request, and how its answers are printed. Populated by the command
 * line library.
 */
abstract class InspectVerb implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Prints this text.")
  @SuppressWarnings("UnusedVariable") // read by the command line library
  private boolean help;

  @Mixin private @Nullable DataDirectory directory;
  @Mixin private @Nullable Output output;

  @Option(
      names = "--shard",
      paramLabel = "N",
      description = "On a node of a cluster: only this shard. An object names its shard itself.")
  private @Nullable Long shard;

  /** {@return the request that the options make} */
  abstract OperatorRequest request();

  /** {@return whether the operation changes a directory that no process has open} */
  boolean changesStopped() {
    return false;
  }

  /** {@return what must not happen without the option --yes; null if the verb may run} */
  @Nullable String danger() {
    return null;
  }

  /**
   * Prints the answers.
   *
   * @return the exit code
   */
  abstract int print(List<Map<String, @Nullable Object>> answers, Output to);

  @Override
  public final Integer call() throws IOException {
    String danger = danger();
    if (danger != null) {
      throw new WrongInputException(danger + "; add --yes if that is what you want");
    }
    return run(set(directory), set(output));
  }

  int run(DataDirectory data, Output to) throws IOException {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    String note;
    OperatorRequest request = request().with("shard", shard);
    try (Door door = Door.open(data.path(), changesStopped(), request)) {
      note = door.perform(request, answer -> answers.add(readable(answer)));
    }
    int code = print(answers, to);
    if (note != null) {
      to.note(note);
    }
    return code;
  }

  /** Replaces the bytes of stored values by what they mean. */
  private static Map<String, @Nullable Object> readable(Map<String, @Nullable Object> answer) {
    Map<String, @Nullable Object> readable = new LinkedHashMap<>(answer);
    for (String each : List.of("value", "before", "after")) {
      if (answer.get(each) instanceof byte[] stored) {
        ValueTree value = ValueTree.of(stored);
        readable.put(each, value.tree());
        if (each.equals("value")) {
          readable.put("note", value.note());
        }
      } else if (answer.get(each) instanceof Map<?, ?> columns) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        columns.forEach((name, value) -> shown.put(String.valueOf(name), plain(value)));
        readable.put(each, shown);
      }
    }
    return readable;
  }

  /** Blobs are shown in base64. */
  static @Nullable Object plain(@Nullable Object value) {
    return value instanceof byte[] blob ? Base64.getEncoder().encodeToString(blob) : value;
  }

  static <T> T set(@Nullable T field) {
    if (field == null) {
      throw new IllegalStateException("The command line library has not set an option.");
    }
    return field;
  }

  /** A verb with any number of answers: an array, or a table. */
  abstract static class OfMany extends InspectVerb {

    @Override
    final int print(List<Map<String, @Nullable Object>> answers, Output to) {
      if (to.isJson()) {
        to.printJson(answers);
      } else {
        to.printTable(answers);
      }
      return 0;
    }
  }

  /**
   * A verb with one answer: an object, or a member a line. A node that does not run gives one for
   * each shard: an array, or one after the other.
   */
  abstract static class OfOne extends InspectVerb {

    @Override
    int print(List<Map<String, @Nullable Object>> answers, Output to) {
      if (to.isJson()) {
        to.printJson(answers.size() == 1 ? answers.getFirst() : answers);
      } else {
        answers.forEach(to::printMembers);
      }
      return 0;
    }
  }

  /** A verb that changes something, if --yes says so. Populated by the command line library. */
  abstract static class Confirmed extends OfOne {

    @Option(names = "--yes", description = "Does it.")
    private boolean yes;

    private final String danger;

    Confirmed(String danger) {
      this.danger = danger;
    }

    @Override
    boolean changesStopped() {
      return true;
    }

    @Override
    final @Nullable String danger() {
      return yes ? null : danger;
    }
  }
}
