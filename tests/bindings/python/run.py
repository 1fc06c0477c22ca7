#!/usr/bin/env python3
"""Runs the tests of the Python binding; one line for each: "pass: python NAME", "fail: ..." or "skip: ... (why)"."""
import os
import sys
import unittest

os.chdir(os.path.dirname(os.path.abspath(__file__)))


class Lines(unittest.TextTestResult):
    def say(self, verdict, test, why=''):
        print('%s: python %s%s' % (verdict, test.id().split('.', 1)[-1].replace('.test_', ' ').replace('_', ' '), why), flush=True)

    def addSuccess(self, test):
        self.say('pass', test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say('fail', test)

    def addError(self, test, err):
        super().addError(test, err)
        self.say('fail', test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say('skip', test, ' (%s)' % reason)


suite = unittest.defaultTestLoader.loadTestsFromNames(['cases', 'test_values', 'test_sampler', 'test_step', 'test_adapters'])
result = unittest.TextTestRunner(sys.stdout, resultclass=Lines, verbosity=0).run(suite)
sys.exit(0 if result.wasSuccessful() else 1)
