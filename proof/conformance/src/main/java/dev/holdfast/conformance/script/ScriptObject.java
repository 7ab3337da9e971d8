package dev.holdfast.conformance.script;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;

/** The object of a case. */
public final class ScriptObject implements Script, AlarmHandler {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectContext context;
  private final Interpreter interpreter;

  /**
   * Creates the instance.
   *
   * @param context the object's context
   */
  public ScriptObject(ObjectContext context) {
    this.context = context;
    this.interpreter = new Interpreter(context);
  }

  @Override
  public String run(String operations, long startMillis) {
    try {
      return interpreter.run(JSON.readTree(operations), startMillis).toString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a recording is not JSON: " + operations, e);
    }
  }

  @Override
  public void alarm(AlarmInfo alarm) throws Exception {
    interpreter.alarm(alarm);
  }

  @Override
  public void abort() {
    throw context.abort(null);
  }
}
