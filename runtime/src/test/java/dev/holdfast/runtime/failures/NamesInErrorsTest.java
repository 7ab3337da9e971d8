package dev.holdfast.runtime.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which object an error names, and how. */
final class NamesInErrorsTest {

  private final Host host = Host.open();

  @AfterEach
  void close() throws Exception {
    host.close();
  }

  private ObjectException abort(String name) {
    return catchThrowableOfType(
        InstanceResetException.class,
        () ->
            host.call(
                name,
                (_, context) -> {
                  throw context.abort("stale");
                }));
  }

  @Test
  void errorHasTheNameBesideTheId() {
    ObjectException error = abort("daily report");

    String id = error.objectId();
    assertThat(error.objectName()).contains("daily report");
    assertThat(error).hasMessage("stale (name \"daily report\") [object things/" + id + "]");
    assertThat(error.withoutObject()).isEqualTo("stale");
    assertThat(error.toString())
        .isEqualTo(InstanceResetException.class.getName() + ": " + error.getMessage());
  }

  @Test
  void nameOfControlCharactersBreaksNoLine() {
    ObjectException error = abort("a\nb\"c");

    assertThat(error.objectName()).contains("a\nb\"c");
    assertThat(error.toString()).contains(" (name \"a?b?c\") [object ");
  }

  @Test
  void objectWithoutANameIsNamedByItsId() {
    ObjectId id = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);
    ObjectException error =
        new MisuseException("things", id, MisuseException.Reason.OUTSIDE_OF_TURN, "No.");

    assertThat(error.objectName()).isEmpty();
    assertThat(error.toString()).endsWith(": No. [object things/" + id + "]");
  }
}
