package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.runtime.RemoteCaller;
import java.util.List;

/**
 * A call of an object that another node owns.
 *
 * @param namespace the object's namespace
 * @param id the object
 * @param method the text of the method
 * @param headers what filters have added
 * @param chain the executions that wait for this call, the outermost first
 * @param arguments of the method
 */
public record CallUnderWay(
    String namespace,
    ObjectId id,
    String method,
    List<Header> headers,
    List<RemoteCaller> chain,
    List<Value> arguments) {}
