package dev.holdfast.spring;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.errors.StorageFailedException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers for errors that are the runtime's and not the application's. The texts are made for
 * clients: they do not name objects. An application's own advice comes first.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class HoldfastProblems {

  private static final String RETRY_SECONDS = "1";

  @ExceptionHandler(ObjectOverloadedException.class)
  ResponseEntity<ProblemDetail> overloaded() {
    return later("Too many requests wait for the same object. Nothing was done.");
  }

  @ExceptionHandler(RuntimeClosedException.class)
  ResponseEntity<ProblemDetail> closed() {
    return later("The service is ending or starting.");
  }

  @ExceptionHandler(JournalFailedException.class)
  ResponseEntity<ProblemDetail> journalFailed() {
    return later("The storage of the service has failed. The request may have been done.");
  }

  @ExceptionHandler(StorageFailedException.class)
  ResponseEntity<ProblemDetail> storageFailed() {
    return later("The service could not read or store what the request needs.");
  }

  @ExceptionHandler(CallInterruptedException.class)
  ResponseEntity<ProblemDetail> interrupted() {
    return later("The service stopped waiting for the answer. The request may have been done.");
  }

  @ExceptionHandler(InstanceResetException.class)
  ResponseEntity<ProblemDetail> reset() {
    return later("The request was interrupted. It may have been done.");
  }

  @ExceptionHandler(ObjectCallTimeoutException.class)
  ProblemDetail timedOut() {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.GATEWAY_TIMEOUT, "The answer took too long. The request may have been done.");
  }

  @ExceptionHandler(InvalidObjectIdException.class)
  ProblemDetail notAnId() {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.BAD_REQUEST, "The request names an object by an invalid id.");
  }

  @ExceptionHandler(BookmarkException.class)
  ProblemDetail notABookmark() {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.BAD_REQUEST, "The request names a moment that cannot be restored.");
  }

  static ResponseEntity<ProblemDetail> later(String detail) {
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
        .body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail));
  }
}
