package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A verb that changes an object, if --yes says so. Populated by the command line library. */
abstract class ChangeVerb extends InspectVerb.Confirmed {

  @Mixin private @Nullable ObjectArgument object;

  private ChangeVerb(String danger) {
    super(danger);
  }

  /** {@return a request about the object} */
  OperatorRequest request(String operation) {
    return set(object).request(operation);
  }

  /** The verb {@code inspect delete}. Populated by the command line library. */
  @Command(
      name = "delete",
      description = "Deletes an object. Its history stays for the recovery window.",
      footer = {"", "Example: ./holdfast inspect delete accounts alice --yes --data data/demo"})
  static final class Delete extends ChangeVerb {

    Delete() {
      super("delete removes the state of the object");
    }

    @Override
    OperatorRequest request() {
      return request("delete");
    }
  }

  /** The verb {@code inspect reset}. Populated by the command line library. */
  @Command(
      name = "reset",
      description = {
        "Discards the instance of an object in a running process, also of a busy one.",
        "The calls in flight fail, and the writes of the running turn are lost. Answers false if"
            + " there was no instance."
      },
      footer = {"", "Example: ./holdfast inspect reset accounts alice --yes --data data/demo"})
  static final class Reset extends ChangeVerb {

    Reset() {
      super("reset fails the calls in flight and discards the running turn");
    }

    @Override
    boolean changesStopped() {
      return false;
    }

    @Override
    OperatorRequest request() {
      return request("reset");
    }
  }

  /** The verb {@code inspect put}. Populated by the command line library. */
  @Command(
      name = "put",
      description = {
        "Sets a key of an object to a value, and resets the object. Prints the bookmark that undoes"
            + " it.",
        "The value is JSON; what JSON has no form for has its type beside it:"
            + " {\"$type\": \"Date\", \"value\": \"2026-11-23T10:00:00Z\"}. Bytes are hexadecimal."
      },
      footer = {
        "",
        "Example: ./holdfast inspect put accounts alice limit 500 --yes --data data/demo",
        "Example: ./holdfast inspect put accounts alice photo '\"ffd8\"' --type Uint8Array --yes"
            + " --data data/demo"
      })
  static final class Put extends ChangeVerb {

    @Parameters(index = "2", paramLabel = "KEY", description = "The key.")
    private @Nullable String key;

    @Parameters(index = "3", paramLabel = "VALUE", description = "The value as JSON.")
    private @Nullable String value;

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        description = "The type of the value, if the JSON does not say it.")
    private @Nullable String type;

    Put() {
      super("put replaces the value of a key, and calls in flight fail");
    }

    @Override
    OperatorRequest request() {
      return request("put").with("key", key).with("value", value).with("type", type);
    }
  }

  /** The verb {@code inspect remove}. Populated by the command line library. */
  @Command(
      name = "remove",
      description =
          "Deletes a key of an object, and resets it. Prints the bookmark that undoes it.",
      footer = {
        "",
        "Example: ./holdfast inspect remove accounts alice limit --yes --data data/demo"
      })
  static final class Remove extends ChangeVerb {

    @Parameters(index = "2", paramLabel = "KEY", description = "The key.")
    private @Nullable String key;

    Remove() {
      super("remove deletes a key, and calls in flight fail");
    }

    @Override
    OperatorRequest request() {
      return request("remove").with("key", key);
    }
  }

  /** The verb {@code inspect exec}. Populated by the command line library. */
  @Command(
      name = "exec",
      description = {
        "Runs one SQL statement that writes, within SqlLimits.FOREIGN, and resets the object.",
        "Prints the number of rows written, and the bookmark that undoes it. The schema cannot be"
            + " changed."
      },
      footer = {
        "",
        "Example: ./holdfast inspect exec accounts alice \"DELETE FROM sent WHERE amount = 0\""
            + " --yes --data data/demo"
      })
  static final class Exec extends ChangeVerb {

    @Parameters(index = "2", paramLabel = "SQL", description = "The statement.")
    private @Nullable String sql;

    Exec() {
      super("exec writes to the tables of the object, and calls in flight fail");
    }

    @Override
    OperatorRequest request() {
      return request("exec").with("sql", sql);
    }
  }

  /** The verb {@code inspect purge}. Populated by the command line library. */
  @Command(
      name = "purge",
      description = {
        "Removes the history of an object: all earlier states, which cannot be undone.",
        "The present state stays; to forget an object, delete it first. Waits until the bytes are"
            + " in no file of the directory; archives and backups keep what they have."
      },
      footer = {"", "Example: ./holdfast inspect purge accounts alice --yes --data data/demo"})
  static final class Purge extends ChangeVerb {

    Purge() {
      super("purge removes the past of the object for ever");
    }

    @Override
    OperatorRequest request() {
      return request("purge").with("wait", true);
    }
  }
}
