package dev.holdfast.spring;

import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers for errors that only a runtime on several nodes has, where {@code holdfast-cluster} is on
 * the class path.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ClusterProblems {

  @ExceptionHandler(ObjectUnavailableException.class)
  ResponseEntity<ProblemDetail> unavailable(ObjectUnavailableException failure) {
    return HoldfastProblems.later(
        failure.delivery() == Delivery.NOT_DELIVERED
            ? "The service cannot reach what the request needs. Nothing was done."
            : "The service lost what the request needs. The request may have been done.");
  }
}
