// gsample for C++20: owners for the handles of gsample.h, spans for its arrays, results for its statuses. Header only, and nothing here
// decides anything: what a call means stands in gsample.h, under the name of the C function that it calls.
// SPDX-License-Identifier: MIT
//
//    gsample::Params params;
//    params.temperature = 0.8f;
//    gsample::Sampler sampler = gsample::Sampler::make(params).value();
//    int32_t token = sampler.pick(logits).value();
//
// Errors. A call that can fail returns a Result: test it and read error(), or let value() throw gsample::Exception. Where exceptions are
// switched off, value() is not there and the rest works.
//
// Ownership. Every owner moves. What was moved from is empty, and a call on it fails with INVALID_ARGUMENT. Vocab and Grammar are counted
// references and may be copied. Spans are borrowed for the call.
//
// Threads. As gsample.h says: one thread at a time for a Sampler, Dist, Matcher or Workspace; Vocab and Grammar for all at once.
#pragma once

#include "hpp/grammar.hpp"
#include "hpp/result.hpp"
#include "hpp/sampler.hpp"
#include "hpp/step.hpp"
#include "hpp/values.hpp"
